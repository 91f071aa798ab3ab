#pragma once

#include <string_view>

namespace waybill {

/// The version of this program, "1.2.3".
std::string_view version_of_program();

}  // namespace waybill
