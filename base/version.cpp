#include "base/version.hpp"

namespace waybill {

std::string_view version_of_program() { return WAYBILL_VERSION; }

}  // namespace waybill
