#pragma once

#include "api/endpoint/schema.hpp"

namespace waybill::api {

inline constexpr Property expected_count_properties[] = {
    {.name = "from", .kind = Kind::integer, .nullable = false},
    {.name = "to", .kind = Kind::integer, .nullable = false},
};
inline constexpr Schema expected_count_schema{"ExpectedCount", expected_count_properties};

}  // namespace waybill::api
