#include "app/node/primary_check.hpp"

#include <chrono>
#include <string_view>
#include <utility>

#include "base/joined_texts.hpp"
#include "base/observe.hpp"
#include "storage/pq/primaries.hpp"

namespace waybill::app {
namespace {

constexpr Duration look_every = std::chrono::minutes(1);

}  // namespace

PrimaryCheck::PrimaryCheck(std::string database_url)
    : database_url_(std::move(database_url)),
      loop_(
          ThreadKind::primaries,
          [this] {
            look();
            return Loop::Wait{look_every};
          },
          [](const std::exception& error) {
            observe(Observable::database_unavailable, {{"error", std::string_view(error.what())}});
            return look_every;
          }) {}

void PrimaryCheck::stop(Moment /*until*/) {
  looking_.request_stop();
  loop_.stop();
}

void PrimaryCheck::look() {
  const auto primaries = storage::pq::primaries_of(database_url_, looking_.get_token());
  if (looking_.stop_requested()) return;
  set_gauge(Gauge::database_primaries, static_cast<double>(primaries.size()));
  if (primaries.size() < 2) return;
  const std::string hosts = joined_texts(primaries);
  observe(Observable::several_primaries, {{"hosts", hosts}});
}

}  // namespace waybill::app
