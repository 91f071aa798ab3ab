#pragma once

#include <string_view>

namespace waybill::domain {

/// A code of ISO 4217 for money in use, in capitals ("EUR"); not the codes for metals, funds and tests.
bool is_currency(std::string_view code);

}  // namespace waybill::domain
