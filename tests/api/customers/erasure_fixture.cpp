#include "tests/api/customers/erasure_fixture.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/ascii.hpp"

namespace waybill::tests {
namespace {

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::string ErasureTest::dump() { return ascii_lower(world.database.content()); }

std::vector<std::string> ErasureTest::traces() {
  std::vector<std::string> found;
  std::istringstream lines(dump());
  for (std::string line; std::getline(lines, line);) {
    for (const auto word : {std::string_view("zenobia"), std::string_view("quux"), phone}) {
      if (line.find(word) != std::string::npos) {
        found.push_back(line.substr(0, 300));
        break;
      }
    }
  }
  return found;
}

std::int64_t ErasureTest::files_with_the_address() const {
  std::int64_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(mails.path()))
    count += content_of(entry.path()).find(email) == std::string::npos ? 0 : 1;
  return count;
}

}  // namespace waybill::tests
