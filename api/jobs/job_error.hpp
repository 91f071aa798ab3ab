#pragma once

#include <string>
#include <string_view>

#include "api/endpoint/endpoint.hpp"

namespace waybill::api {

/// The `error` of a job, as JSON, of the body of an error answer. Of `details`, it keeps only the lines of a
/// file and the names that the endpoint declares, and no message that quotes a text of the caller: a job has
/// no personal data.
std::string job_error(std::string_view error_body, const Endpoint* endpoint);

/// The `error` of a job that an attempt has left without ending it.
std::string interrupted_job_error();

}  // namespace waybill::api
