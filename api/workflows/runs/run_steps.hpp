#pragma once

#include "api/endpoint/schema.hpp"
#include "api/workflows/definition/workflow_schemas.hpp"
#include "api/workflows/runs/run_list.hpp"

namespace waybill::api {

/// A step of a run, in answers. A run of one action has one step.
inline constexpr Property run_step_properties[] = {
    {.name = "number", .kind = Kind::integer, .nullable = false, .description = "From 1."},
    {.name = "type", .kind = Kind::one_of, .nullable = false, .values = step_types},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = run_statuses},
    {.name = "code", .kind = Kind::string},
    {.name = "error", .kind = Kind::text},
    {.name = "startedAt", .kind = Kind::timestamp},
    {.name = "finishedAt", .kind = Kind::timestamp},
};
inline constexpr Schema run_step_schema{"RunStep", run_step_properties};
inline constexpr Property run_steps_property{
    .name = "steps",
    .kind = Kind::array,
    .nullable = false,
    .schema = &run_step_schema,
    .description = "The steps that are over, and the one that the run is at."};

}  // namespace waybill::api
