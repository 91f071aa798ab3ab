// Customers from a CSV file: upload, preview and confirmation.
#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "api/customers/customer_csv.hpp"
#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/job.hpp"
#include "api/endpoint/services.hpp"
#include "api/http/multipart.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "base/guid.hpp"
#include "base/utf8.hpp"
#include "storage/sql/customer_uploads.sql.hpp"
#include "storage/statement/params.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t part_size = 5'000;  // rows that one statement stores or applies
constexpr int most_waiting_uploads = 20;  // per business
// The wait for other confirmations of the business.
constexpr auto longest_confirmation_wait = std::chrono::seconds(8);
constexpr auto first_confirmation_pause = std::chrono::milliseconds(20);
constexpr auto longest_confirmation_pause = std::chrono::milliseconds(320);

constexpr std::string_view actions[] = {"create", "update"};
constexpr Property row_properties[] = {
    {.name = "line", .kind = Kind::integer, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "email", .kind = Kind::email},
    {.name = "phone", .kind = Kind::string},
    {.name = "company", .kind = Kind::string},
    {.name = "address", .kind = Kind::object, .schema = &address_schema},
    {.name = "externalReference", .kind = Kind::string},
    {.name = "tags", .kind = Kind::array, .items = Kind::string},
    {.name = "action", .kind = Kind::one_of, .nullable = false, .values = actions},
};
constexpr Schema row_schema{"CustomerUploadRow", row_properties};
constexpr Property preview_properties[] = {
    {.name = "total", .kind = Kind::integer, .nullable = false},
    {.name = "create",
     .kind = Kind::integer,
     .nullable = false,
     .description = "The number of new customers."},
    {.name = "update",
     .kind = Kind::integer,
     .nullable = false,
     .description = "The number of customers with a known e-mail address."},
    {.name = "rows",
     .kind = Kind::array,
     .nullable = false,
     .schema = &row_schema,
     .description = "The first 100 rows."},
};
constexpr Schema preview_schema{"CustomerUploadPreview", preview_properties};

constexpr ErrorCode preview_errors[] = {ErrorCode::conflict};  // already confirmed
constexpr Parameter confirm_parameters[] = {
    {.name = "guid", .kind = Kind::uuid, .required = true, .description = "The guid of the upload."}};

/// Returns the content of the form's only field.
std::string_view file_of(const Call& call) {
  const auto form = parse_form(call.content_type, call.raw_body);
  if (const auto* const problem = std::get_if<std::string>(&form)) throw invalid("body", *problem);
  FieldErrors errors;
  const FormPart* file = nullptr;
  for (const auto& part : std::get<std::vector<FormPart>>(form)) {
    if (part.name != "file") {
      errors.push_back({to_text(part.name), "unknown field"});
    } else if (file != nullptr) {
      errors.push_back({"file", "must be given once"});
    } else {
      file = &part;
    }
  }
  if (file == nullptr) errors.push_back({"file", "is required"});
  if (!errors.empty()) throw invalid(std::move(errors));
  return file->content;
}

/// Collects the columns of a part as arrays.
class PartWriter {
 public:
  void add(const CustomerRow& row) {
    lines_.add(std::to_string(row.line));
    for (std::size_t i = 0; i < columns_.size(); ++i) add_value(columns_.at(i), row.values.at(i));
    add_value(tags_, row.tags);
  }
  std::size_t size() const { return lines_.size(); }

  /// Returns the statement that stores the part, and begins the next part.
  sql::customer_uploads::AddPart take(const Guid& business, const Guid& upload) {
    return {.business = business,
            .upload = upload,
            .part = part_++,
            .lines = std::exchange(lines_, {}),
            .names = take_column("name"),
            .emails = take_column("email"),
            .phones = take_column("phone"),
            .companies = take_column("company"),
            .streets = take_column("street"),
            .cities = take_column("city"),
            .states = take_column("state"),
            .postal_codes = take_column("postalCode"),
            .countries = take_column("country"),
            .external_references = take_column("externalReference"),
            .tags = std::exchange(tags_, {})};
  }

 private:
  template <typename Text>
  static void add_value(storage::ArrayLiteral& column, const std::optional<Text>& value) {
    value ? column.add(*value) : column.add_null();
  }

  storage::ArrayLiteral take_column(std::string_view name) {
    const auto index = std::ranges::find(customer_csv_columns, name) - customer_csv_columns.begin();
    return std::exchange(columns_.at(static_cast<std::size_t>(index)), {});
  }

  int part_ = 0;
  storage::ArrayLiteral lines_;
  std::array<storage::ArrayLiteral, customer_csv_columns.size()> columns_;
  storage::ArrayLiteral tags_;  // as JSON
};

/// Throws Failure with the first hundred invalid lines if the file has any error.
void refuse_bad_file(const CustomerCsv& csv,
                     const storage::TypedRows<sql::customer_uploads::Repeated>& repeated) {
  auto lines = csv.line_errors();
  for (const auto& row : repeated) {
    lines.push_back(
        {static_cast<std::size_t>(row.line), "email is already on line " + std::to_string(row.first_line)});
  }
  std::ranges::sort(lines, {}, &CustomerCsv::LineError::line);
  if (lines.size() > most_line_errors) lines.resize(most_line_errors);
  FieldErrors errors;
  if (csv.problem()) errors.push_back({"file", *csv.problem()});
  for (auto& [line, message] : lines) {
    errors.push_back({"line " + std::to_string(line), std::move(message)});
  }
  if (!errors.empty()) throw invalid(std::move(errors));
}

asio::awaitable<Answer> upload_customers(Call& call, Services& services) {
  const auto& business = call.business();
  const auto upload = Guid::timed_random(to_unix_ms(services.clock.now()));
  std::optional<CustomerCsv> csv;
  PartWriter writer;
  // The coroutine waits for the work, so its references stay valid.
  co_await services.bodies.run(business, [&] { csv.emplace(file_of(call)); });
  const auto read_part = [&] {
    while (writer.size() < part_size) {
      const auto row = csv->next();
      if (!row) return;
      writer.add(*row);
    }
  };
  const auto transaction = co_await services.db.begin(call.cause());
  co_await transaction->run(sql::customer_uploads::Create{.business = business, .guid = upload});
  std::int64_t rows = 0;
  for (;;) {
    co_await services.bodies.run(business, read_part);
    if (writer.size() == 0) break;
    rows += static_cast<std::int64_t>(writer.size());
    co_await transaction->run(writer.take(business, upload));
    if (call.job != nullptr) co_await call.job->note(rows, std::nullopt);
  }
  refuse_bad_file(*csv, co_await transaction->run(
                            sql::customer_uploads::Repeated{.business = business, .upload = upload}));
  co_await transaction->run(sql::customer_uploads::MakeRoom{
      .business = business, .new_upload = upload, .max_unconfirmed = most_waiting_uploads});
  co_await transaction->commit();
  const auto guid = upload.to_string();
  co_return Answer::created('"' + guid + '"', "/api/v1/Customers/upload/" + guid);
}

Failure confirmed_already() { return conflict("The upload is already confirmed."); }

asio::awaitable<Answer> preview_upload(Call& call, Services& services) {
  const auto rows = co_await services.db.read(
      sql::customer_uploads::Preview{.business = call.business(), .upload = call.id()});
  if (rows.empty()) throw not_found("upload");
  if (rows.front().is_confirmed) throw confirmed_already();
  co_return Answer::of(json_object(rows.more()));
}

struct UploadSize {
  std::int64_t parts = 0;
  std::int64_t rows = 0;
};

/// Locks an unconfirmed upload.
asio::awaitable<UploadSize> lock_upload(storage::Transaction& transaction, const Guid& business,
                                        const Guid& upload) {
  const auto rows =
      co_await transaction.run(sql::customer_uploads::Lock{.business = business, .upload = upload});
  if (rows.empty()) throw not_found("upload");
  const auto state = rows.front();
  if (state.is_confirmed) throw confirmed_already();
  if (!state.is_locked) throw conflict("The upload is being confirmed.");
  co_return UploadSize{.parts = state.parts, .rows = state.rows};
}

asio::awaitable<Answer> discard_upload(Call& call, Services& services) {
  const auto transaction = co_await services.db.begin(call.cause());
  co_await lock_upload(*transaction, call.business(), call.id());
  co_await transaction->run(sql::customer_uploads::Remove{.business = call.business(), .upload = call.id()});
  co_await transaction->commit();
  co_return Answer::none();
}

/// Returns false if another upload of the business is being confirmed.
asio::awaitable<bool> try_confirming(const Call& call, Services& services, const Guid& upload) {
  const auto& business = call.business();
  const auto transaction = co_await services.db.begin(call.cause());
  const auto [parts, row_count] = co_await lock_upload(*transaction, business, upload);
  const auto lock = co_await transaction->run(sql::customer_uploads::LockBusiness{.business = business});
  if (lock.empty()) {
    co_await transaction->roll_back();
    co_return false;
  }
  if (call.job != nullptr) co_await call.job->note(0, row_count);
  for (int part = 0; part < parts; ++part) {
    co_await transaction->run(
        sql::customer_uploads::ApplyPart{.business = business, .upload = upload, .part = part});
    const auto applied = static_cast<std::int64_t>(part_size) * (part + 1);
    if (call.job != nullptr) co_await call.job->note(std::min(applied, row_count), row_count);
  }
  co_await transaction->run(sql::customer_uploads::Finish{.business = business, .upload = upload});
  co_await transaction->commit();
  co_return true;
}

/// Uploads of a business are confirmed one after another. A waiting upload occupies no database connection.
asio::awaitable<Answer> confirm_upload(Call& call, Services& services) {
  const auto upload = Guid::parse(call.parameter("guid").value_or("")).value();
  asio::steady_timer timer(co_await asio::this_coro::executor);
  const auto deadline = std::chrono::steady_clock::now() + longest_confirmation_wait;
  for (auto pause = first_confirmation_pause; !co_await try_confirming(call, services, upload);
       pause = std::min(2 * pause, longest_confirmation_pause)) {
    if (std::chrono::steady_clock::now() >= deadline) {
      throw Failure(ErrorCode::unavailable, "Other uploads of the business are being confirmed; try again.")
          .with_retry_after(longest_confirmation_wait);
    }
    timer.expires_after(pause);
    co_await timer.async_wait(asio::use_awaitable);
  }
  co_return Answer::none();
}

constexpr Endpoint customer_upload_endpoint_table[] = {
    {.method = Method::post,
     .path = "/api/v1/Customers/upload",
     .permission = Permission::operate,
     .handler = upload_customers,
     .operation_id = "uploadCustomers",
     .summary = "Uploads a CSV file of up to 100 000 customers",
     .description = "Nothing changes until the upload is confirmed, within 24 hours. If 20 uploads of the "
                    "business wait for it, the oldest expires.",
     .tag = "Customers",
     .body_kind = BodyKind::multipart,
     .answer_kind = Kind::uuid,
     .status = 201,
     .job = JobKind::upload},
    {.method = Method::get,
     .path = "/api/v1/Customers/upload/{guid}",
     .permission = Permission::read,
     .handler = preview_upload,
     .operation_id = "previewCustomerUpload",
     .summary = "Returns what the confirmation of an upload will change",
     .description = "The numbers of customers that will be created and updated, and the first hundred rows.",
     .tag = "Customers",
     .answer = &preview_schema,
     .errors = preview_errors},
    {.method = Method::del,
     .path = "/api/v1/Customers/upload/{guid}",
     .permission = Permission::operate,
     .handler = discard_upload,
     .operation_id = "discardCustomerUpload",
     .summary = "Discards an upload that is not confirmed",
     .description = "Its rows are deleted at once. A confirmed upload: 409.",
     .tag = "Customers"},
    {.method = Method::get,
     .path = "/api/v1/Customers/confirm-upload",
     .permission = Permission::operate,
     .handler = confirm_upload,
     .operation_id = "confirmCustomerUpload",
     .summary = "Creates and updates the customers of an upload, all or none",
     .description = "New e-mail addresses create customers, known ones update them. Confirming twice: 409. "
                    "Uploads expire after 24 hours.",
     .tag = "Customers",
     .query = confirm_parameters,
     .changes = true,
     .is_bulk = true,
     .job = JobKind::upload},
};

}  // namespace

std::span<const Endpoint> customer_upload_endpoints() { return customer_upload_endpoint_table; }

}  // namespace waybill::api
