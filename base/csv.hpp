#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace waybill {

/// One record of a CSV text. The views live until the reader's next call.
struct CsvRecord {
  std::size_t line = 0;                      // on which it begins; the first is 1
  std::span<const std::string> fields = {};  // without their quotes; no more than the reader's `max_fields`
  std::size_t field_count = 0;               // with those beyond
  std::string_view problem = {};             // what is against RFC 4180; then the fields mean nothing
};

/// Reads a text by RFC 4180, record by record, in one pass and with the memory of one record. Beyond the RFC
/// a line may end in a bare LF, a byte order mark of UTF-8 may come first, and empty lines are passed over.
/// Bytes are not looked into: whether they are UTF-8 is the caller's to ask. One thread at a time.
class CsvReader {
 public:
  /// `text` must outlive the reader. Fields beyond `max_fields` are counted, not kept.
  CsvReader(std::string_view text, std::size_t max_fields);

  /// nullopt at the end. After a record with a problem reading goes on behind the line where it was found.
  std::optional<CsvRecord> next();

 private:
  bool at_line_end() const;
  bool take_comma();
  bool take_line_end();
  std::string& place(std::size_t index);
  std::string_view read_field(std::string& field);
  std::string_view read_quoted(std::string& field);
  void skip_line();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::vector<std::string> fields_;
  std::string beyond_;
};

}  // namespace waybill
