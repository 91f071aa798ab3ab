#include "storage/session/copy_rows.hpp"

#include "storage/statement/binary.hpp"
#include "storage/statement/errors.hpp"

namespace waybill::storage {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view header = "PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0"sv;  // no flags, no extension

// In bytes; MaxAllocSize in PostgreSQL's memutils.h.
constexpr std::size_t max_value_size = 0x3fffffff;

constexpr std::size_t max_kept_bytes = 4UL * 1024 * 1024;

// A batch has a megabyte or two of rows. Memory of that size comes from the kernel each time and costs a page
// fault for each of its pages.
thread_local std::string kept;

}  // namespace

CopyRows::~CopyRows() {
  if (buffer_.capacity() <= kept.capacity() || buffer_.capacity() > max_kept_bytes) return;
  buffer_.clear();
  kept.swap(buffer_);
}

template <std::integral Number>
void CopyRows::append(Number value) {
  append_binary(buffer_, value);
}

template <std::integral Number>
CopyRows& CopyRows::number(Number value) {
  append(static_cast<std::int32_t>(sizeof value));
  append(value);
  return *this;
}

CopyRows& CopyRows::begin_row() {
  if (empty()) {
    if (kept.capacity() > buffer_.capacity()) buffer_.swap(kept);
    buffer_ = header;
    is_taken_ = false;
  }
  append(columns_);
  return *this;
}

CopyRows& CopyRows::text(std::string_view value) {
  if (value.size() > max_value_size) {
    throw StatementError("a value of " + std::to_string(value.size()) + " bytes is too long for a column",
                         "54000", "");
  }
  append(static_cast<std::int32_t>(value.size()));
  buffer_ += value;
  return *this;
}

CopyRows& CopyRows::guid(const Guid& value) {
  append(static_cast<std::int32_t>(value.bytes.size()));
  buffer_.append(value.bytes.begin(), value.bytes.end());
  return *this;
}

CopyRows& CopyRows::timestamp(Time value) { return number((value - binary_epoch).count()); }

CopyRows& CopyRows::null() {
  append(std::int32_t{-1});
  return *this;
}

std::string_view CopyRows::take() {
  append(std::int16_t{-1});
  is_taken_ = true;
  return buffer_;
}

template CopyRows& CopyRows::number(std::int8_t);
template CopyRows& CopyRows::number(std::int16_t);
template CopyRows& CopyRows::number(std::int32_t);
template CopyRows& CopyRows::number(std::int64_t);

}  // namespace waybill::storage
