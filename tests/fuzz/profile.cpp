// Profiles of devices: what is read is written and read again as the same.
#include "fuzz/fuzz.hpp"

#include <antiphon/device_profile.hpp>

#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  try {
    const auto written =
        antiphon::write_device_profile(antiphon::parse_device_profile(text, "profile.json"));
    ++fuzz::understood;
    const auto again = antiphon::parse_device_profile(written, "again.json");
    fuzz::require(antiphon::write_device_profile(again) == written,
                  "a profile that was written is read as another");
  } catch (const antiphon::Error& error) {
    fuzz::require(error.kind() == antiphon::ErrorKind::unreadable, error.what());
  }
  return 0;
}
