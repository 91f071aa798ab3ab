#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/csv.hpp"

namespace {

using Record = std::vector<std::string>;
constexpr std::size_t max_fields = 8;

std::string quoted(const Record& record) {
  std::string line;
  for (const auto& field : record) {
    line += line.empty() ? "\"" : ",\"";
    for (const char c : field) line.append(c == '"' ? 2 : 1, c);
    line += '"';
  }
  return line + "\r\n";
}

}  // namespace

// Reads the records, writes them quoted and requires the same records when it reads them again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  waybill::CsvReader reader(text, max_fields);
  std::vector<Record> records;
  std::string written;
  std::size_t line = 0;
  while (const auto record = reader.next()) {
    if (record->line <= line) std::abort();
    line = record->line;
    if (!record->problem.empty()) continue;
    records.emplace_back(record->fields.begin(), record->fields.end());
    written += quoted(records.back());
  }
  waybill::CsvReader again(written, max_fields);
  for (const auto& expected : records) {
    const auto record = again.next();
    if (!record || !record->problem.empty()) std::abort();
    if (Record(record->fields.begin(), record->fields.end()) != expected) std::abort();
  }
  if (again.next()) std::abort();
  return 0;
}
