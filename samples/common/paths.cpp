#include "paths.hpp"

#include <system_error>

namespace samples {

std::filesystem::path followed(const std::filesystem::path& name) {
  std::error_code error;
  const auto whole = std::filesystem::weakly_canonical(name, error);
  return error || whole.empty() ? name : whole;
}

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error)) return true;
  return std::filesystem::absolute(followed(a), error) ==
         std::filesystem::absolute(followed(b), error);
}

}  // namespace samples
