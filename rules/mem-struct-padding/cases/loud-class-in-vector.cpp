#include <cstdint>
#include <vector>

// expect: mem-struct-padding high "Track"
class Track {
public:
  void extend(double dx) {
    Length += dx * Momentum;
    ++Hits;
  }
  bool good() const { return Valid && Hits > 3 && Length < 1e3 && Charge != 0; }

private:
  bool Valid = true;
  double Length = 0.0;
  std::int32_t Hits = 0;
  double Momentum = 1.0;
  std::int16_t Charge = 1;
};

std::size_t count_good(const std::vector<Track> &tracks) {
  std::size_t good = 0;
  for (const Track &track : tracks)
    good += track.good();
  return good;
}
