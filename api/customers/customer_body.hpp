#pragma once

#include <cstddef>

#include "api/endpoint/schema.hpp"

namespace waybill::api {

/// The schemas of answers.
extern const Schema customer_contact_schema;
extern const Schema customer_reference_schema;

}  // namespace waybill::api
