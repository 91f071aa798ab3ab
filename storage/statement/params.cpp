#include "storage/statement/params.hpp"

#include <charconv>
#include <stdexcept>
#include <utility>

#include "storage/statement/statement.hpp"

namespace waybill::storage {
namespace {

template <typename Values, typename Append>
std::string literal(const Values& values, std::size_t width, Append append) {
  std::string out;
  out.reserve(values.size() * width + 2);
  out += '{';
  for (const auto& value : values) {
    if (out.size() > 1) out += ',';
    append(out, value);
  }
  out += '}';
  return out;
}

}  // namespace

void ArrayLiteral::next() { text_ += size_++ == 0 ? '{' : ','; }

ArrayLiteral& ArrayLiteral::add(std::string_view element) {
  next();
  text_ += '"';
  // JSON has a quotation mark every few bytes, so a search that begins anew after each one costs more than
  // this.
  auto begin = element.begin();
  for (auto at = begin; at != element.end(); ++at) {
    if (*at != '"' && *at != '\\') continue;
    text_.append(begin, at);
    text_ += '\\';
    begin = at;
  }
  text_.append(begin, element.end());
  text_ += '"';
  return *this;
}

ArrayLiteral& ArrayLiteral::add_null() {
  next();
  text_ += "NULL";
  return *this;
}

std::string ArrayLiteral::take() {
  text_ += size_ == 0 ? "{}" : "}";
  size_ = 0;
  return std::exchange(text_, {});
}

std::string array_literal(std::span<const Guid> values) {
  return literal(values, 37, [](std::string& out, const Guid& value) { out += value.to_string(); });
}

std::string array_literal(std::span<const std::optional<Guid>> values) {
  return literal(values, 37, [](std::string& out, const std::optional<Guid>& value) {
    out += value ? value->to_string() : "NULL";
  });
}

std::string array_literal(std::span<const std::int64_t> values) {
  return literal(values, 12, [](std::string& out, std::int64_t value) {
    char digits[24];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  });
}

std::string array_literal(std::span<const std::string> values) {
  ArrayLiteral array;
  for (const std::string& value : values) array.add(value);
  return array.take();
}

std::string array_literal(std::span<const std::optional<std::string>> values) {
  ArrayLiteral array;
  for (const auto& value : values) value ? array.add(*value) : array.add_null();
  return array.take();
}

Params& Params::add_null() {
  offsets_.push_back(null_offset);
  fill_up_formats();
  return *this;
}

Params& Params::add(const BinaryValue& value) {
  append(value.bytes);
  formats_.resize(size(), static_cast<int>(Format::text));
  lengths_.resize(size());
  formats_.back() = static_cast<int>(Format::binary);
  lengths_.back() = static_cast<int>(value.bytes.size());
  return *this;
}

Params& Params::add_array(const std::vector<std::string>& values) {
  ArrayLiteral literal;
  for (const auto& value : values) literal.add(value);
  return add_text(literal.take());
}

Params& Params::add_text(std::string_view value) {
  if (value.find('\0') != std::string_view::npos) throw std::invalid_argument("a NUL byte in a parameter");
  append(value);
  fill_up_formats();
  return *this;
}

void Params::fill_up_formats() {
  if (formats_.empty()) return;
  formats_.resize(size(), static_cast<int>(Format::text));
  lengths_.resize(size());
}

void Params::append(std::string_view value) {
  if (value.size() >= null_offset - bytes_.size()) throw std::length_error("parameters beyond 4 GiB");
  offsets_.push_back(static_cast<std::uint32_t>(bytes_.size()));
  bytes_ += value;
  bytes_ += '\0';
}

}  // namespace waybill::storage
