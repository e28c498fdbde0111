#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what, const char *text) {
  fprintf(stderr, "lbm: %s: %s\n", what, text);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

static char *trim(char *text) {
  while (isspace((unsigned char)*text))
    text++;
  size_t length = strlen(text);
  while (length > 0 && isspace((unsigned char)text[length - 1]))
    text[--length] = '\0';
  return text;
}

static void set(Config *config, const char *key, const char *value) {
  const struct {
    const char *key;
    int *number;
  } numbers[] = {{"width", &config->width},
                 {"height", &config->height},
                 {"iterations", &config->iterations},
                 {"ranks_x", &config->ranks_x},
                 {"save_interval", &config->save_interval},
                 {"save_pause_ms", &config->save_pause_ms},
                 {"threads", &config->threads},
                 {"obstacle_x", &config->obstacle_x},
                 {"obstacle_y", &config->obstacle_y},
                 {"obstacle_radius", &config->obstacle_radius}};
  char *end = NULL;
  if (strcmp(key, "output") == 0) {
    if (strlen(value) >= sizeof config->output)
      fail("name too long", value);
    strcpy(config->output, value);
    return;
  }
  errno = 0;
  if (strcmp(key, "inflow_speed") == 0 || strcmp(key, "viscosity") == 0) {
    double number = strtod(value, &end);
    *(key[0] == 'i' ? &config->inflow_speed : &config->viscosity) = number;
  } else {
    size_t n = 0;
    while (n < sizeof numbers / sizeof numbers[0] && strcmp(key, numbers[n].key) != 0)
      n++;
    if (n == sizeof numbers / sizeof numbers[0]) {
      fail("unknown key", key);
      return;
    }
    *numbers[n].number = (int)strtol(value, &end, 10);
  }
  if (errno != 0 || end == value || *end != '\0')
    fail("not a number", value);
}

static void set_line(Config *config, char *line) {
  char *separator = strchr(line, '=');
  if (separator == NULL) {
    fail("not of the form key = value", line);
    return;
  }
  *separator = '\0';
  set(config, trim(line), trim(separator + 1));
}

void config_load(Config *config, int argc, char **argv) {
  *config = (Config){.inflow_speed = 0.1,
                     .viscosity = 0.02,
                     .width = 800,
                     .height = 640,
                     .iterations = 16,
                     .ranks_x = 1,
                     .save_interval = 8,
                     .save_pause_ms = 50,
                     .threads = 1,
                     .obstacle_x = 160,
                     .obstacle_y = 330,
                     .obstacle_radius = 40};
  int next = 1;
  if (argc > 1 && strchr(argv[1], '=') == NULL) {
    FILE *file = fopen(argv[1], "r");
    if (file == NULL) {
      fail("cannot read", argv[1]);
      return;
    }
    char line[512];
    while (fgets(line, sizeof line, file) != NULL) {
      line[strcspn(line, "#\n")] = '\0';
      char *text = trim(line);
      if (*text != '\0')
        set_line(config, text);
    }
    fclose(file);
    next = 2;
  }
  for (; next < argc; next++)
    set_line(config, argv[next]);
  if (config->width < 3 || config->height < 3 || config->iterations < 0 || config->threads < 1)
    fail("bad size", "width and height need 3 cells, iterations 0, threads 1");
}
