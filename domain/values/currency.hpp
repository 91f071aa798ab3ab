#pragma once

#include <string_view>

namespace waybill::domain {

/// True for an ISO 4217 code of money in use, in capitals ("EUR"); false for metals, funds and test codes.
bool is_currency(std::string_view code);

}  // namespace waybill::domain
