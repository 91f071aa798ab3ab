#pragma once

#include "actions/stored_steps.hpp"
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
    {.name = "name", .kind = Kind::string, .nullable = false, .optional = true},
    {.name = "way",
     .kind = Kind::one_of,
     .nullable = false,
     .optional = true,
     .values = actions::way_names,
     .description = "Of a choice: the way that it took."},
    {.name = "answer",
     .kind = Kind::any,
     .optional = true,
     .description = "The declared values of the answer; null if they were erased."},
    {.name = "erased",
     .kind = Kind::boolean,
     .nullable = false,
     .optional = true,
     .description = "True if the answer was erased with a person's data."},
    {.name = "timedOut",
     .kind = Kind::boolean,
     .nullable = false,
     .optional = true,
     .description = "Of a wait: true if it was for an event that did not come in time."},
    {.name = "eventId",
     .kind = Kind::integer,
     .nullable = false,
     .optional = true,
     .description = "The event that ended the wait."},
    {.name = "shipmentId",
     .kind = Kind::uuid,
     .nullable = false,
     .optional = true,
     .description = "The shipment that the step made."},
    {.name = "trackingNumber", .kind = Kind::string, .nullable = false, .optional = true},
    {.name = "labelStatus",
     .kind = Kind::string,
     .nullable = false,
     .optional = true,
     .description = "The status of the label that the step bought or voided, as in a shipment."},
    {.name = "price", .kind = Kind::number, .optional = true, .description = "The price of the label."},
    {.name = "currency", .kind = Kind::string, .optional = true},
    {.name = "carrier", .kind = Kind::string, .optional = true, .description = "The name of the carrier."},
    {.name = "serviceLevel", .kind = Kind::string, .optional = true},
    {.name = "serviceCode",
     .kind = Kind::string,
     .optional = true,
     .description = "The gateway's code of the service."},
    {.name = "carrierTrackingNumber", .kind = Kind::string, .optional = true},
};
inline constexpr Schema run_step_schema{"RunStep", run_step_properties};
inline constexpr Property run_steps_property{
    .name = "steps",
    .kind = Kind::array,
    .nullable = false,
    .schema = &run_step_schema,
    .description = "The steps that are over, and the one that the run is at."};

}  // namespace waybill::api
