// A window slides over the image: rows and columns of the product share their elements.
void filter(int height, int width, int taps, const float *kernel, const float *in, float *out) {
  for (int y = 0; y < height - taps; y++)
    for (int x = 0; x < width - taps; x++) {
      float sum = 0.0f;
      for (int dy = 0; dy < taps; dy++)
        for (int dx = 0; dx < taps; dx++)
          sum += kernel[dy * taps + dx] * in[(y + dy) * width + x + dx];
      out[y * width + x] = sum;
    }
}
