#include "storage/database.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <boost/asio/async_result.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "storage/pq/read_pipeline.hpp"
#include "storage/pq/write_pool.hpp"

namespace waybill::storage {
namespace {

using std::chrono::steady_clock;

constexpr Statement ping{"database.ping", "select 1"};
constexpr auto fresh = std::chrono::seconds(1);

pq::ChannelOptions channel_options(const Database::Options& options, bool read_only) {
  return {.url = options.url,
          .application_name = options.application_name,
          .read_only = read_only,
          .statement_timeout = options.statement_timeout,
          .connect_timeout = options.connect_timeout};
}

}  // namespace

class Database::Impl {
 public:
  Impl(asio::io_context& io, const Options& options)
      : writes_(std::make_shared<pq::WritePool>(io, channel_options(options, false),
                                                options.write_connections, options.wait_limit)) {
    for (int i = 0; i < options.read_connections; ++i) {
      pipelines_.push_back(std::make_shared<pq::ReadPipeline>(io, pool_, channel_options(options, true)));
    }
  }

  ~Impl() {
    for (const auto& pipeline : pipelines_) pipeline->shut_down();
    writes_->shut_down();
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  asio::awaitable<Rows> submit(Statement statement, Statement merged, std::string text, Params params) {
    return asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr, Rows)>(
        [this](pq::ReadHandler handler, Statement single, Statement several, std::string owned_text,
               Params values) {
          auto& request = pool_.take();
          request.handler.emplace(std::move(handler));
          request.statement = single;
          request.merged = several;
          request.text = std::move(owned_text);
          request.params = std::move(values);
          least_loaded().submit(request);
        },
        asio::use_awaitable, statement, merged, std::move(text), std::move(params));
  }

  bool answered_lately() const {
    const auto limit = steady_clock::now() - fresh;
    return writes_->last_answer() >= limit ||
           std::any_of(pipelines_.begin(), pipelines_.end(),
                       [&](const auto& pipeline) { return pipeline->last_answer() >= limit; });
  }

  pq::WritePool& writes() { return *writes_; }

 private:
  pq::ReadPipeline& least_loaded() {
    const auto now = steady_clock::now();
    return **std::min_element(pipelines_.begin(), pipelines_.end(),
                              [now](const auto& a, const auto& b) { return a->load(now) < b->load(now); });
  }

  pq::ReadRequestPool pool_;
  std::vector<std::shared_ptr<pq::ReadPipeline>> pipelines_;
  std::shared_ptr<pq::WritePool> writes_;
};

Database::Database(asio::io_context& io, const Options& options)
    : impl_(std::make_unique<Impl>(io, options)) {}

Database::~Database() = default;

asio::awaitable<Rows> Database::read(const Statement& statement, Params params) {
  return impl_->submit(statement, {}, {}, std::move(params));
}

asio::awaitable<Rows> Database::read_merged(const Statement& statement, const Statement& merged, Params key) {
  return impl_->submit(statement, merged, {}, std::move(key));
}

asio::awaitable<Rows> Database::read_text(std::string_view name, std::string text, Params params) {
  return impl_->submit({name, {}}, {}, std::move(text), std::move(params));
}

asio::awaitable<Rows> Database::write(const Statement& statement, Params params, Cause cause) {
  co_return co_await impl_->writes().write(statement, params, cause);
}

asio::awaitable<std::unique_ptr<Transaction>> Database::begin(Cause cause) {
  co_return co_await impl_->writes().begin(cause);
}

asio::awaitable<bool> Database::reachable() {
  if (impl_->answered_lately()) co_return true;
  try {
    co_await read(ping, {});
    co_return true;
  } catch (const std::exception&) {
    co_return false;
  }
}

}  // namespace waybill::storage
