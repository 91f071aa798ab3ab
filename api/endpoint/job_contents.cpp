#include "api/endpoint/job_contents.hpp"

#include "storage/sql/jobs.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t part_size = 1UL << 20;

/// Names sort in the order of the parts.
std::string name_of(JobContent content, std::size_t part) {
  std::string number = std::to_string(part);
  if (number.size() < 3) number.insert(0, 3 - number.size(), '0');
  return (content == JobContent::call ? "call/" : "file/") + number;
}

}  // namespace

std::string job_content_purpose(const Guid& job, std::string_view name) {
  return "job:" + job.to_string() + ":" + std::string(name);
}

asio::awaitable<void> store_content(storage::Transaction& transaction, const SecretBox& secrets,
                                    Guid business, Guid job, JobContent content, std::string_view bytes) {
  for (std::size_t part = 0; part * part_size < bytes.size(); ++part) {
    const std::string name = name_of(content, part);
    const Bytes sealed =
        secrets.seal(bytes.substr(part * part_size, part_size), job_content_purpose(job, name));
    co_await transaction.run(
        sql::jobs::AddContent{.business = business, .job = job, .name = name, .bytes = sealed});
  }
}

asio::awaitable<std::string> load_content(storage::Database& db, const SecretBox& secrets, Guid business,
                                          Guid job, JobContent content) {
  std::string bytes;
  for (std::size_t part = 0;; ++part) {
    const std::string name = name_of(content, part);
    const auto rows = co_await db.read(sql::jobs::Content{.business = business, .job = job, .name = name},
                                       storage::Format::binary);
    const auto row = rows.find();
    if (!row) co_return bytes;
    bytes += secrets.open(row->bytes, job_content_purpose(job, name));
  }
}

}  // namespace waybill::api
