void clear_negative(float *values, long width, long height) {
  auto at = [=](long x, long y) -> float & { return values[x * height + y]; };
  for (long y = 0; y < height; y++)
    // expect: mem-strided-inner-loop medium "4 * height bytes" "4 bytes" fix
    for (long x = 0; x < width; x++)
      at(x, y) = at(x, y) < 0.0f ? 0.0f : at(x, y);
}
