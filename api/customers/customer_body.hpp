#pragma once

#include <cstddef>

#include "api/route/schema.hpp"

namespace waybill::api {

inline constexpr std::size_t longest_email = 254;  // RFC 5321 section 4.5.3.1.3, without the angle brackets

/// The schemas of answers.
extern const Schema customer_contact_schema;
extern const Schema customer_reference_schema;

}  // namespace waybill::api
