#include "tests/api/customers/erasure_fixture.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/ascii.hpp"

namespace waybill::tests {
namespace {

/// All rows of all tables, in lower case: as SQL if pg_dump is installed with the server.
std::string dump_of(const std::string& url) {
  if (!std::filesystem::exists(server_programs() / "pg_dump")) {
    Session session(url);
    std::string text;
    for (const std::string& table :
         session.column("select oid::regclass from pg_class where relkind = 'r' and relnamespace = "
                        "current_schema()::regnamespace")) {
      for (const std::string& row : session.column("select t::text from only " + table + " t"))
        text += row + "\n";
    }
    return ascii_lower(text);
  }
  const auto dump = run({server_programs() / "pg_dump", url});
  EXPECT_EQ(dump.status, 0) << dump.standard_error;
  return ascii_lower(dump.standard_output);
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::string ErasureTest::dump() const { return dump_of(world.database.url()); }

std::vector<std::string> ErasureTest::traces() const {
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
