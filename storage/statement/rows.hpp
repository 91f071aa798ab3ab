#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace waybill::storage {

/// The rows of one result. Copies share the libpq result, which is freed with the last copy; views into it
/// are valid until then.
class Rows {
 public:
  Rows() = default;
  /// Takes ownership of a PGresult.
  explicit Rows(void* pg_result);

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool is_null(int row, int column) const;
  std::string_view get(int row, int column) const;  // empty for null
  std::optional<std::string_view> find(int row, int column) const;
  std::size_t affected() const;  // rows of an insert, update or delete

  bool is_binary() const;
  int columns() const;
  std::string_view name(int column) const;
  /// Returns the type's OID in pg_type.
  std::uint32_t type(int column) const;

  /// Returns `count` rows starting at `first`, without the columns before `first_column`.
  Rows slice(int first, int count, int first_column) const;

 private:
  std::shared_ptr<void> result_;
  int first_ = 0;
  int size_ = 0;
  int first_column_ = 0;
};

}  // namespace waybill::storage
