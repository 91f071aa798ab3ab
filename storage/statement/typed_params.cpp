#include "storage/statement/typed_params.hpp"

#include <charconv>

#include "base/crypto.hpp"

namespace waybill::storage {

void add_param(Params& params, Time value) { params.add(format_sql_timestamp(value)); }

void add_param(Params& params, double value) {
  char digits[32];
  params.add(std::string_view(digits, std::to_chars(digits, digits + sizeof digits, value).ptr));
}

void add_param(Params& params, const Bytea& value) { params.add("\\x" + hex(value.get())); }

}  // namespace waybill::storage
