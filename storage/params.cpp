#include "storage/params.hpp"

#include <stdexcept>
#include <utility>

namespace waybill::storage {

void ArrayLiteral::next() { text_ += size_++ == 0 ? '{' : ','; }

ArrayLiteral& ArrayLiteral::add(std::string_view element) {
  next();
  text_ += '"';
  while (true) {
    const auto special = element.find_first_of("\"\\");
    text_ += element.substr(0, special);
    if (special == std::string_view::npos) break;
    text_ += '\\';
    text_ += element[special];
    element.remove_prefix(special + 1);
  }
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

Params& Params::add_null() {
  offsets_.push_back(null_offset);
  return *this;
}

Params& Params::add_array(const std::vector<std::string>& values) {
  ArrayLiteral literal;
  for (const auto& value : values) literal.add(value);
  return add_text(literal.take());
}

Params& Params::add_text(std::string_view value) {
  if (value.find('\0') != std::string_view::npos) throw std::invalid_argument("a NUL byte in a parameter");
  if (value.size() >= null_offset - text_.size()) throw std::length_error("parameters beyond 4 GiB");
  offsets_.push_back(static_cast<std::uint32_t>(text_.size()));
  text_ += value;
  text_ += '\0';
  return *this;
}

}  // namespace waybill::storage
