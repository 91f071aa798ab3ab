#include "app/node/operator_view.hpp"

#include <utility>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "storage/sql/operator_page.sql.hpp"
#include "storage/statement/errors.hpp"

namespace waybill::app {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr auto shared_for = 5s;
constexpr auto longest_wait = 3s;  // of a view, and of all statements together
constexpr auto wait_step = 20ms;

struct Part {
  const char* title;
  const storage::Statement& statement;
};

const Part parts[] = {
    {"Database", sql::operator_page::Database::statement},
    {"Processes", sql::operator_page::Processes::statement},
    {"Shards and lag", sql::operator_page::Shards::statement},
    {"Queue of runs", sql::operator_page::Queue::statement},
    {"Connections", sql::operator_page::Connections::statement},
    {"Partitions", sql::operator_page::Partitions::statement},
    {"Standbys", sql::operator_page::Standbys::statement},
    {"Ledger", sql::operator_page::Ledger::statement},
    {"Duties", sql::operator_page::Duties::statement},
    {"Businesses", sql::operator_page::Businesses::statement},
};

OperatorTable read_table(storage::blocking::Connection& session, const Part& part) {
  OperatorTable table{.title = part.title, .columns = {}, .rows = {}, .fault = {}};
  try {
    const auto result = session.transact([&](storage::blocking::Transaction& transaction) {
      transaction.execute("set transaction read only; set local statement_timeout = '1s'");
      return transaction.run(part.statement);
    });
    for (auto column = 0U; column < result.columns(); ++column)
      table.columns.emplace_back(result.column_name(column));
    for (const auto& row : result) {
      auto& cells = table.rows.emplace_back();
      for (const auto& field : row) cells.emplace_back(field.is_null() ? "" : field.c_str());
    }
  } catch (const storage::StatementError& error) {
    table.fault = storage::is_canceled(error) ? "It takes longer than a second to read." : error.what();
  }
  return table;
}

}  // namespace

bool OperatorView::want_if_old() {
  const Lock lock(mutex_);
  if (answered_at_ && steady_clock::now() - *answered_at_ < shared_for) return false;
  is_wanted_ = true;
  return true;
}

bool OperatorView::is_wanted() const {
  const Lock lock(mutex_);
  return is_wanted_;
}

OperatorFacts OperatorView::facts() const {
  const Lock lock(mutex_);
  OperatorFacts facts = facts_;
  if (is_wanted_) facts.fault = "The database has not answered within 3 seconds.";
  return facts;
}

boost::asio::awaitable<OperatorFacts> OperatorView::read() {
  if (want_if_old()) {
    if (on_wanted_) on_wanted_();
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
    const Moment end = steady_clock::now() + longest_wait;
    while (is_wanted() && steady_clock::now() < end) {
      timer.expires_after(wait_step);
      boost::system::error_code ignored;
      co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    }
  }
  co_return facts();
}

void OperatorView::refresh(storage::blocking::Connection& session) {
  const Moment end = steady_clock::now() + longest_wait;
  OperatorFacts read;
  for (const Part& part : parts) {
    if (steady_clock::now() < end) {
      read.tables.push_back(read_table(session, part));
    } else {
      read.tables.push_back(
          {.title = part.title, .columns = {}, .rows = {}, .fault = "The database is too slow."});
    }
  }
  read.read_at = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  const Lock lock(mutex_);
  facts_ = std::move(read);
  answered_at_ = steady_clock::now();
  is_wanted_ = false;
}

void OperatorView::database_is_away() {
  const Lock lock(mutex_);
  facts_.fault = "The database is unavailable.";
  answered_at_ = steady_clock::now();
  is_wanted_ = false;
}

}  // namespace waybill::app
