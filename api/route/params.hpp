#pragma once

#include <chrono>

#include "api/route/route.hpp"
#include "storage/params.hpp"

namespace waybill::api {

/// The maximum by which a reported time can be in the future.
inline constexpr auto clock_tolerance = std::chrono::minutes(5);

/// $1: the business of the caller. More can be added.
inline storage::Params business_params(const Call& call) {
  storage::Params params;
  params.add(call.principal.business_id.to_string());
  return params;
}

/// $1 and $2: the business of the caller and the guid in the path.
inline storage::Params key_params(const Call& call) {
  auto params = business_params(call);
  params.add(call.id().to_string());
  return params;
}

}  // namespace waybill::api
