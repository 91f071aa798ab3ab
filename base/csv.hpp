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
  std::size_t line = 0;                      // the line on which it begins, from 1
  std::span<const std::string> fields = {};  // without their quotes; at most the reader's `max_fields`
  std::size_t field_count = 0;               // including the fields beyond `max_fields`
  bool is_empty = true;                      // all fields are blank (base/blanks.hpp), as in `,,`
  std::string_view problem = {};             // the violation of RFC 4180; if not empty, ignore the fields
};

/// Reads RFC 4180 text record by record, in one pass and with the memory of one record. Beyond the RFC, a
/// line may end in a bare LF, the text may begin with a UTF-8 byte order mark, spaces and tabs may stand
/// around a quoted field, and empty lines are skipped. Does not check for UTF-8. Not thread-safe.
class CsvReader {
 public:
  /// `text` must outlive the reader. Fields beyond `max_fields` are counted, not kept.
  CsvReader(std::string_view text, std::size_t max_fields);

  /// nullopt at the end. After a record with a problem, reading continues after the line of the problem.
  std::optional<CsvRecord> next();

 private:
  bool at_line_end() const;
  void skip_spaces();
  bool take_comma();
  bool take_line_end();
  std::string& field_at(std::size_t index);
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
