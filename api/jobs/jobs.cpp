// Jobs: what the calls that were answered with 202 have come to.
#include <algorithm>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/job_contents.hpp"
#include "api/endpoint/paging.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "storage/sql/jobs.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::string_view statuses[] = {"running", "done", "failed", "cancelled"};
constexpr Property progress_properties[] = {
    {.name = "done", .kind = Kind::integer, .nullable = false},
    {.name = "of", .kind = Kind::integer, .description = "Null while the number is not known."},
};
constexpr Schema progress_schema{"JobProgress", progress_properties};

constexpr Schema details_schema{
    .name = "JobErrorDetails",
    .json = R"({"type": ["object", "null"], "additionalProperties": {"type": "string"}})"};
constexpr Property error_properties[] = {
    {.name = "code",
     .kind = Kind::string,
     .nullable = false,
     .description = "A code of errors, or INTERRUPTED or ERASED.",
     .example = R"("VALIDATION_ERROR")"},
    {.name = "message", .kind = Kind::text, .nullable = false},
    {.name = "details", .kind = Kind::any, .schema = &details_schema},
};
constexpr Schema error_schema{"JobError", error_properties};

constexpr Property job_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "kind", .kind = Kind::one_of, .nullable = false, .values = job_kind_names},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = statuses},
    {.name = "progress", .kind = Kind::object, .nullable = false, .schema = &progress_schema},
    {.name = "startedAt", .kind = Kind::timestamp, .nullable = false},
    {.name = "finishedAt", .kind = Kind::timestamp},
    {.name = "result",
     .kind = Kind::any,
     .description = "The data of the answer that the call has without a job; of an export, its file."},
    {.name = "error", .kind = Kind::object, .schema = &error_schema},
};
constexpr Schema job_schema{"Job", job_properties};

asio::awaitable<Answer> list_jobs(Call& call, Services& services) {
  const auto page = page_of(call);
  const auto counted = co_await services.db.read(sql::jobs::Count{.business = call.business()});
  const auto rows = co_await services.db.read(
      sql::jobs::List{.business = call.business(), .limit = page.limit(), .offset = page.offset()});
  co_return page_answer(json_array(rows), page, counted.front().total);
}

asio::awaitable<Answer> get_job(Call& call, Services& services) {
  const auto rows = co_await services.db.read(sql::jobs::Get{.business = call.business(), .job = call.id()});
  if (rows.empty()) throw not_found("job");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> cancel_job(Call& call, Services& services) {
  const auto stopped = co_await services.db.write(
      sql::jobs::Stop{.business = call.business(), .job = call.id()}, call.cause());
  const auto job = stopped.find();
  if (!job) throw not_found("job");
  if (job->status != "running") throw conflict("The job has ended and cannot be cancelled.");
  if (job->kind == job_kind_names[static_cast<std::size_t>(JobKind::erasure)])
    throw conflict("An erasure cannot be cancelled.");
  services.wake_jobs();
  co_return co_await get_job(call, services);
}

/// Needs the role that the call of the job needs.
asio::awaitable<Answer> get_job_file(Call& call, Services& services) {
  const auto found =
      co_await services.db.read(sql::jobs::File{.business = call.business(), .job = call.id()});
  const auto file = found.find();
  if (!file) throw not_found("file of a job");
  if (call.principal.role < parse_role(file->role))
    throw Failure(ErrorCode::forbidden, "The token's role does not allow this.");
  std::string bytes =
      co_await load_content(services.db, services.secrets, call.business(), call.id(), JobContent::file);
  // It was deleted between the two reads.
  if (std::ssize(bytes) != file->file_bytes) throw not_found("file of a job");
  co_return Answer{.data = std::move(bytes), .file_name = "job-" + call.id().to_string() + ".json"};
}

constexpr Parameter list_parameters_of_jobs[] = {page_parameter, page_size_parameter};
constexpr ErrorCode cancel_errors[] = {ErrorCode::conflict};
constexpr HeaderField private_file[] = {{"Cache-Control", "private, no-store"}};

constexpr Endpoint job_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/jobs",
     .permission = Permission::read,
     .handler = list_jobs,
     .operation_id = "listJobs",
     .summary = "Lists the jobs of the business, newest first",
     .description = "A job is kept for 30 days and holds no personal data.",
     .tag = "Jobs",
     .query = list_parameters_of_jobs,
     .answer = &job_schema,
     .paginated = true},
    {.method = Method::get,
     .path = "/api/jobs/{guid}",
     .permission = Permission::read,
     .handler = get_job,
     .operation_id = "getJob",
     .summary = "Returns a job",
     .description = "`progress` counts what is done of the whole; `result` is there once the job is done.",
     .tag = "Jobs",
     .answer = &job_schema},
    {.method = Method::del,
     .path = "/api/jobs/{guid}",
     .permission = Permission::operate,
     .handler = cancel_job,
     .operation_id = "cancelJob",
     .summary = "Cancels a running job",
     .description =
         "An upload is rolled back. Other jobs end after the portion under way; what was done before "
         "stays. The answer can still show the status running. An erasure, or a job that has ended: 409.",
     .tag = "Jobs",
     .answer = &job_schema,
     .errors = cancel_errors},
    {.method = Method::get,
     .path = "/api/jobs/{guid}/file",
     .permission = Permission::read,
     .handler = get_job_file,
     .operation_id = "getJobFile",
     .summary = "Returns the file of an export",
     .description = "For 24 hours, with the role that the call of the export needs. 404 without a file.",
     .tag = "Jobs",
     .media_type = "application/json",
     .headers = private_file},
};

}  // namespace

std::span<const Endpoint> job_endpoints() { return job_endpoint_table; }

}  // namespace waybill::api
