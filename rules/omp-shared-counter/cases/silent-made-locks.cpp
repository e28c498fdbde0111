// flags: -fopenmp
// Locks that the program makes of atomic operations, guards of its own, and functions that nobody sees around a store.
#include <atomic>

static int word;
static long total, printed;
static double best;
static int bestAt, serving, tickets;
static std::atomic_flag flag = ATOMIC_FLAG_INIT;

static void spinLock(int *lock) {
  while (__sync_lock_test_and_set(lock, 1))
    ;
}
static void spinUnlock(int *lock) { __sync_lock_release(lock); }

struct Guard {
  Guard() {
    while (flag.test_and_set())
      ;
  }
  ~Guard() { flag.clear(); }
};

struct Hidden {
  explicit Hidden(int *lock);
  ~Hidden();
};

void take(void);
void give(void);

static void locked() {
  spinLock(&word);
  total++;
  spinUnlock(&word);
}

static void guarded() {
  Guard here;
  total++;
}

static void hidden() {
  Hidden here(&word);
  total++;
}

static void raise(double v, int i) {
  if (v > best) {
    take();
    best = v;
    bestAt = i;
    give();
  }
}

static void inTurn() {
  const int mine = __sync_fetch_and_add(&tickets, 1);
  while (*static_cast<volatile int *>(&serving) != mine)
    ;
  total++;
  serving++;
}

void work(double *x, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    spinLock(&word);
    printed++;
    spinUnlock(&word);
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    locked();
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    guarded();
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    hidden();
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    raise(x[i], i);
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    inTurn();
}
