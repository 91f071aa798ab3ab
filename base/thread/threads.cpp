#include "base/thread/threads.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace waybill {
namespace {

using Kind = ThreadKind;
using Of = ThreadRow::Of;

constexpr std::string_view attempts = "those of attempts";

constexpr auto rows = std::to_array<ThreadRow>({
    {Kind::signals, "signals", Of::every_process, "`app::Signals`, `app/process/signals.cpp`",
     "SIGTERM, SIGINT, SIGHUP", "the stop request", "none", "nothing"},
    {Kind::liveness, "liveness", Of::every_process, "`app::Liveness`, `app/process/liveness.cpp`",
     "the clock", "the report to the service manager", "none", "nothing"},
    {Kind::calls, "calls", Of::every_process, "`storage::CallWatch`, `storage/session/call_watch.cpp`",
     "the clock (500 ms)", "the check of a server that is silent", "`CallWatch`", "nothing"},
    {Kind::cancel, "cancel", Of::every_process, "`storage::PqLink::cancel`, `storage/session/pq_link.cpp`",
     "nothing; it lives for one request", "a request to cancel a statement", "none", "nothing"},
    {Kind::presence, "presence", Of::every_process, "`app::Presence`, `app/node/presence.cpp`",
     "the clock (2 s)", "a session, the row of `processes`, the reading of the clock", "none",
     "the session, from whose end other processes see that the process is gone"},
    {Kind::primaries, "primaries", Of::every_process,
     "`app::PrimaryCheck`, `app/node/primary_check.cpp`, if `--database-url` has several hosts",
     "the clock (1 min)", "a connection to each host for at most 2 s", "none", "nothing"},
    {Kind::account_mails, "account mails", Of::every_process, "`app::MailSender`, `app/node/mail_sender.cpp`",
     "`post`, the end of a mail, the clock (5 s)", "a session, the claims of mails",
     "`MailSender`, the mailer",
     "no mail: a mail is in the outbox until a server has accepted it, and may be sent twice"},
    {Kind::mailer, "mailer", Of::every_process,
     "`net::SmtpMailer`, `net/mail/smtp.cpp`, or `net::DirectoryMailer`, `net/mail/mail_directory.cpp`; a "
     "worker has two",
     "`send`, sockets", "connections to the mail server or a directory, mails in flight",
     "the mailer, those of attempts, `AlertSender`, `MailSender`, `MailLimit`",
     "the attempts in flight, which count"},
    {Kind::metrics, "metrics", Of::every_process, "`api::Server`, `api/http/server.cpp`", "sockets",
     "its connections", "`ConnectionCounts`", "the answers in flight"},
    {Kind::postgres, "postgresql", Of::every_process,
     "`app::PostgresCluster`, `app/postgres/postgres_cluster.cpp`, of `up` without `--database-url`",
     "the end of the server process", "the server process", "`PostgresCluster`", "nothing"},
    {Kind::destruction, "destruction", Of::every_process, "`destroy`, `app/node/serve.cpp`",
     "nothing; it lives after the stop", "the parts of the process", "those of the destructors", "nothing"},
    {Kind::http_client, "http client", Of::every_process,
     "`net::HttpClient`, `net/http/http_client.cpp`; a worker has four (runs, stores, purchases, "
     "tracking), an API has two (stores, gateways) and, with a geocoder or an OSRM server, one of the maps",
     "`send`, sockets, time limits", "requests in flight, kept connections",
     "`RequestInbox`, those of attempts, `AlertSender`, `MapCalls`", "the attempts in flight, which count"},
    {Kind::pump, "pump", Of::worker, "`Pump`, `worker/pump.cpp`",
     "NOTIFY, `WorkThread::wake`, due times, the clock (1 s)",
     "a session, watermarks, backlog, timers, claims",
     "`EventIntake`, `DueRuns`, `WorkflowLoader`, `DueFloors`, `DestinationNames`, those of attempts",
     "events that are matched again; claims end with their lease"},
    {Kind::workflows, "workflows", Of::worker, "`WorkflowLoader`, `worker/events/workflow_loader.cpp`",
     "`load`, `take`, `destroy`, the clock (1 s)", "a session, workflows that are being parsed",
     "`WorkflowLoader`", "nothing"},
    {Kind::preparation, "preparation", Of::worker, "`Preparation`, `worker/queue/preparation.cpp`",
     "`add`, `go_on`, the clock (1 s)", "a session, runs that wait for texts",
     "`DueRuns`, `DestinationNames`, those of attempts", "nothing; the claims end with their lease"},
    {Kind::recorder, "recorder", Of::worker, "`Recorder`, `worker/outcomes/recorder.cpp`",
     "entries of `OutcomeInbox`", "a session, outcomes that are not written",
     "`OutcomeInbox`, `PauseWriter`, `Memory`, `EventIntake`, `DueRuns`",
     "outcomes: the attempts are made again"},
    {Kind::leases, "leases", Of::worker, "`LeaseKeeper`, `worker/shards/lease_keeper.cpp`",
     "NOTIFY, the clock (500 ms)", "a session, the held shards", "`EventIntake`, those of attempts",
     "the shards, which others take at once"},
    {Kind::pauses, "pauses", Of::worker, "`PauseWriter`, `worker/guard/pause_writer.cpp`", "`pause`",
     "a session while a pause waits", "`PauseWriter`", "the pause; the next attempt requests it again"},
    {Kind::mail_limit, "mail limit", Of::worker,
     "`MailLimit`, `worker/delivery/mail_limit.cpp`, unless `--mails-per-day` is 0",
     "`send`, the end of a mail", "a session, counts to take back",
     "`MailLimit`, the mailer, those of attempts, `AlertSender`", "counts of mails that were not sent"},
    {Kind::push, "push messages", Of::worker,
     "`actions::WebPushSender`, `actions/web_push/web_push_sender.cpp`", "`post`",
     "a session, messages in preparation", "`WebPushSender`, those of attempts",
     "the attempts in flight, which count"},
    {Kind::stores, "stores", Of::worker, "`StoreThread`, `worker/stores/store_thread.cpp`",
     "`spawn`, sockets, timers", "a `Database`, imports, tracking", attempts,
     "a page of an import, which is read again"},
    {Kind::purchases, "purchases", Of::worker, "`Purchaser`, `worker/purchases/purchaser.cpp`",
     "NOTIFY, sockets, timers, the clock (1 s)", "a session, purchases and their calls to gateways",
     "`CallPlaces`, `RequestInbox`, `DestinationCounts`",
     "the calls in flight: a purchase that was being bought is unknown, and is looked up"},
    {Kind::tracking, "tracking", Of::worker, "`TrackingPuller`, `worker/tracking/tracking_puller.cpp`",
     "`TrackingPuller::look`, sockets, timers", "a `Database`, the turns of lanes",
     "`CallPlaces`, `DestinationCounts`", "the calls in flight, which are made again"},
    {Kind::duties, "duties", Of::worker, "`Duties`, `worker/duties/duties.cpp`", "the clock",
     "a session, the turn of a duty", "`DueFloors`, `DestinationCounts`",
     "the turn, which another worker takes"},
    {Kind::alerts, "alerts", Of::worker, "`AlertSender`, `worker/alerts/alert_sender.cpp`",
     "the end of an attempt, the clock (1 s)", "a session, attempts of alerts",
     "`AlertSender` (`sending_`, then `mutex_`), those of the senders under `sending_`",
     "the attempts, which are repeated"},
    {Kind::schedules, "schedules", Of::worker, "`ScheduleLane`, `worker/timers/schedule_lane.cpp`",
     "the clock (1 s at most)", "a session while a workflow has a schedule",
     "`ScheduleShares`, `Catalogue`, `PauseWriter`, `DestinationNames`",
     "the open transaction; the tick is due again"},
    {Kind::slow_schedules, "slow schedules", Of::worker, "`ScheduleLane`, `worker/timers/schedule_lane.cpp`",
     "the clock (1 s at most)", "a session while a business is slow",
     "`ScheduleShares`, `Catalogue`, `PauseWriter`, `DestinationNames`",
     "the open transaction; the tick is due again"},
    {Kind::io, "io", Of::api, "`api::Server`, `api/http/server.cpp`; one for each core by default",
     "sockets, timers, posted work",
     "connections of clients, a `Database`, a `Gate`, caches of tokens and totals",
     "those of [an io thread](design/threads.md#mutexes-of-an-io-thread)", "the answers in flight"},
    {Kind::analysis, "analysis", Of::api, "`api::Analysis`, `api/threads/analysis.hpp`; three", "`run`",
     "a blocking session each", "`Background`, `Analysis`", "the answers in flight"},
    {Kind::background, "background", Of::api, "`api::Background`, `api/threads/background.cpp`; two", "`run`",
     "the work at hand", "`Background`", "the answers in flight"},
    {Kind::drawing, "drawing", Of::api, "`api::Background`, `api/threads/background.cpp`; one",
     "a label, a packing slip, a pick list", "the work at hand",
     "`Background`; `drawing_mutex` of `documents/text_layout.cpp`", "the answers in flight"},
    {Kind::merging, "merging", Of::api, "`api::Background`, `api/threads/background.cpp`; three",
     "labels to merge", "a process that merges labels", "`Background`", "the answers in flight"},
    {Kind::bodies, "bodies", Of::api, "`api::Background`, `api/threads/background.cpp`; two",
     "a body above 16 KiB, a call of a carrier", "the work at hand", "`Background`", "the answers in flight"},
    {Kind::passwords, "passwords", Of::api,
     "`api::PasswordHasher`, `api/accounts/password_hasher.cpp`; one or two", "`Turn::hash`, `Turn::matches`",
     "the work at hand", "`PasswordHasher`", "the answers in flight"},
    {Kind::maps, "maps", Of::api, "`api::Maps`, `api/route_plans/maps.cpp`; two", "`run`", "the work at hand",
     "`Background`", "the answers in flight"},
    {Kind::database_keeper, "database keeper", Of::api,
     "`app::DatabaseKeeper`, `app/node/database_keeper.cpp`", "the clock",
     "a session, partitions, merges, analyses", "none", "the turn, which another process takes"},
    {Kind::doctor, "doctor", Of::command, "`waybill doctor`, `app/commands/doctor.cpp`", "nothing",
     "the examination", "`Progress`", "nothing"},
    {Kind::demo, "demo", Of::command, "`app::DemoReceiver`, `app/demo/demo_receiver.cpp`", "sockets",
     "received requests", "`DemoReceiver`", "the requests"},
});

constexpr std::size_t longest_name = 15;
static_assert(std::ranges::all_of(rows,
                                  [](const ThreadRow& row) { return row.name.size() <= longest_name; }));
static_assert([] {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].kind != static_cast<ThreadKind>(i)) return false;
  }
  return rows.size() == static_cast<std::size_t>(ThreadKind::demo) + 1;
}());

}  // namespace

std::span<const ThreadRow> thread_rows() { return rows; }

const ThreadRow& row_of(ThreadKind kind) { return rows[static_cast<std::size_t>(kind)]; }

}  // namespace waybill
