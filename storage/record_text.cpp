#include "storage/record_text.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace waybill::storage {
namespace {

// One field of a composite: from behind its delimiter up to the next one. `end` is the closing parenthesis.
class FieldReader {
 public:
  FieldReader(const char* at, const char* end, char* out) : at_(at), end_(end), out_(out) {}

  const char* at() const { return at_; }
  void skip_comma() { ++at_; }
  bool at_delimiter() const { return at_ == end_ || *at_ == ','; }
  bool at_end() const { return at_ == end_; }

  bool read(std::optional<std::string_view>& field) {
    if (at_delimiter()) {
      field.reset();
      return true;
    }
    return *at_ == '"' ? read_quoted(field) : read_bare(field);
  }

 private:
  bool read_bare(std::optional<std::string_view>& field) {
    const char* begin = at_;
    while (at_ != end_ && *at_ != ',') {
      if (*at_ == '"' || *at_ == '\\' || *at_ == '(' || *at_ == ')') return false;
      ++at_;
    }
    field.emplace(begin, static_cast<std::size_t>(at_ - begin));
    return true;
  }

  bool read_quoted(std::optional<std::string_view>& field) {
    const char* begin = ++at_;
    while (at_ != end_ && *at_ != '"' && *at_ != '\\') ++at_;
    if (at_ == end_) return false;
    // Without escapes the text itself will do. There always is a character behind: the closing parenthesis.
    if (*at_ == '"' && at_[1] != '"') {
      field.emplace(begin, static_cast<std::size_t>(at_++ - begin));
      return true;
    }
    return unescape(begin, field);
  }

  bool unescape(const char* begin, std::optional<std::string_view>& field) {
    const char* copy = out_;
    std::memcpy(out_, begin, static_cast<std::size_t>(at_ - begin));
    out_ += at_ - begin;
    while (at_ != end_) {
      if (*at_ == '"' && at_[1] != '"') {
        ++at_;
        field.emplace(copy, static_cast<std::size_t>(out_ - copy));
        return true;
      }
      const bool escaped = *at_ == '"' || *at_ == '\\';
      if (escaped) ++at_;
      if (at_ == end_) return false;
      *out_++ = *at_++;
    }
    return false;
  }

  const char* at_;
  const char* end_;
  char* out_;
};

}  // namespace

bool RecordText::parse(std::string_view text) {
  fields_.clear();
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return false;
  // What is unescaped is shorter than the text, so that no view moves.
  if (unescaped_.size() < text.size()) unescaped_.resize(text.size());
  FieldReader reader(text.data() + 1, text.data() + text.size() - 1, unescaped_.data());
  while (reader.read(fields_.emplace_back()) && reader.at_delimiter()) {
    if (reader.at_end()) return true;
    reader.skip_comma();
  }
  fields_.clear();
  return false;
}

ColumnMap::ColumnMap(const domain::RecordType& type, std::span<const std::string> columns)
    : column_count_(columns.size()) {
  positions_.reserve(type.fields.size());
  for (const auto& field : type.fields) {
    if (field.column.empty()) {
      positions_.push_back(no_column);
      continue;
    }
    const auto column = std::find(columns.begin(), columns.end(), field.column);
    if (column == columns.end()) {
      throw std::invalid_argument("table " + std::string(type.table) + " has no column " +
                                  std::string(field.column));
    }
    positions_.push_back(static_cast<std::uint16_t>(column - columns.begin()));
  }
}

void ColumnMap::fill(std::span<const std::optional<std::string_view>> fields, domain::Row& row) const {
  row.assign(positions_.size(), std::nullopt);
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    if (positions_[i] != no_column) row[i] = fields[positions_[i]];
  }
}

}  // namespace waybill::storage
