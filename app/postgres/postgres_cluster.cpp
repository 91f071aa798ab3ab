#include "app/postgres/postgres_cluster.hpp"

#include <algorithm>
#include <cerrno>
#include <deque>
#include <fcntl.h>
#include <fstream>
#include <future>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "app/postgres/child_process.hpp"
#include "app/postgres/cluster_files.hpp"
#include "app/postgres/postgres_programs.hpp"
#include "app/process/memory.hpp"
#include "base/observe.hpp"
#include "base/percent_encoding.hpp"
#include "base/thread/mutex.hpp"
#include "base/thread/thread.hpp"

namespace waybill::app {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

std::string socket_url(const fs::path& socket) {
  return "postgresql://waybill@" + percent_encode(socket.string()) + ":5432/waybill";
}

/// The lines of postmaster.pid (PostgreSQL: utils/pidfile.h): the first is the process, the eighth its state.
struct PostmasterFile {
  pid_t pid = 0;
  bool ready = false;
};

PostmasterFile read_postmaster_file(const fs::path& cluster) {
  std::ifstream file(cluster / "postmaster.pid");
  PostmasterFile result;
  std::string line;
  for (int number = 1; number <= 8 && std::getline(file, line); ++number) {
    if (number == 1) result.pid = static_cast<pid_t>(std::strtol(line.c_str(), nullptr, 10));
    if (number == 8) result.ready = line.starts_with("ready");
  }
  return result;
}

/// The last four lines of a log that report errors.
std::string last_errors(const fs::path& log) {
  std::ifstream file(log);
  std::deque<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (line.find("FATAL") == std::string::npos && line.find("HINT") == std::string::npos &&
        line.find("PANIC") == std::string::npos && line.find("DETAIL") == std::string::npos) {
      continue;
    }
    lines.push_back(line);
    if (lines.size() > 4) lines.pop_front();
  }
  std::string text;
  for (const std::string& line : lines) text += "\n  " + line;
  return text;
}

fs::path newest_file(const fs::path& directory) {
  fs::path newest;
  fs::file_time_type latest{};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const auto written = entry.last_write_time(error);
    if (!error && (newest.empty() || written > latest)) {
      newest = entry.path();
      latest = written;
    }
  }
  return newest;
}

/// Returns when the process has ended. Does not reap it, so that its pid is not reused.
void await_end(pid_t child) {
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
}

bool has_ended(pid_t child) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT | WNOHANG) == 0 &&
         info.si_pid == child;
}

}  // namespace

class PostgresCluster::Impl {
 public:
  Impl(const Options& options, std::stop_token stop)
      : stop_(std::move(stop)),
        files_(open_data_dir(options.data_dir)),
        lock_(lock_data_dir(files_.data_dir)) {
    const auto found = find_postgres(options.bin_dir);
    const int version = cluster_version(files_);
    programs_ = choose_postgres(found, version, files_.cluster);
    end_leftovers();
    if (version == 0) {
      make_cluster(files_, programs_);
    }
    make_socket_directory(files_);
    url_ = socket_url(files_.socket);
    write_file({}, files_.data_dir / "database-url", url_ + "\n", 0644);

    std::promise<void> started;
    auto result = started.get_future();
    // One thread starts every server and outlives it, because the kernel's death signal is bound to the
    // thread.
    supervisor_.start([this, &started](const std::stop_token&) { supervise(started); });
    try {
      result.get();
    } catch (...) {
      supervisor_.join();
      throw;
    }
  }

  ~Impl() { stop(seconds(60)); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  const std::string& url() const { return url_; }

  void stop(milliseconds limit) {
    {
      Lock guard(mutex_);
      stopping_ = true;
      changed_.notify_all();
      const std::pair<int, milliseconds> steps[] = {
          {SIGINT, limit}, {SIGQUIT, seconds(5)}, {SIGKILL, seconds(5)}};
      for (const auto& [signal, timeout] : steps) {
        if (server_ > 0) ::kill(server_, signal);
        if (changed_.wait_for(guard, timeout, [this]() REQUIRES(mutex_) { return server_ == 0; })) break;
      }
    }
    supervisor_.join();
  }

 private:
  bool should_stop() {
    const Lock guard(mutex_);
    return stopping_ || stop_.stop_requested();
  }

  pid_t present_server() {
    const Lock guard(mutex_);
    return server_;
  }

  void supervise(std::promise<void>& started) {
    try {
      start_server();
      started.set_value();
    } catch (...) {
      started.set_exception(std::current_exception());
      return;
    }
    for (;;) {
      await_end(present_server());
      const int status = reap();
      if (should_stop()) return;
      observe(Observable::postgres_stopped, {{"status", status}, {"expected", false}});
      if (!restart()) return;
      observe(Observable::postgres_recovered, {{"after", "the end of the server"}});
    }
  }

  int reap() {
    const Lock guard(mutex_);
    const int status = wait_for_child(server_);
    server_ = 0;
    changed_.notify_all();
    return status;
  }

  /// Returns false if a server is no longer needed.
  bool restart() {
    for (;;) {
      try {
        end_leftovers();
        start_server();
        return true;
      } catch (const std::exception& error) {
        if (should_stop()) return false;
        observe(Observable::postgres_failed, {{"error", error.what()}});
      }
      Lock guard(mutex_);
      if (changed_.wait_for(guard, seconds(1), [this]() REQUIRES(mutex_) { return stopping_; })) return false;
    }
  }

  /// Ends servers of this cluster that outlived their owner and backends that outlived their server: a new
  /// server that runs at the same time as one of them would destroy data.
  void end_leftovers() {
    const auto begin = steady_clock::now();
    int step = 0;
    for (auto left = processes_in(files_.cluster, "postgres"); !left.empty();
         left = processes_in(files_.cluster, "postgres")) {
      const auto waited = steady_clock::now() - begin;
      const pid_t postmaster = read_postmaster_file(files_.cluster).pid;
      const bool with_postmaster = std::ranges::find(left, postmaster) != left.end();
      if (step == 0 && with_postmaster) {
        observe(Observable::postgres_recovered,
                {{"after", "the end of its owner"}, {"ended_server", postmaster}});
        ::kill(postmaster, SIGINT);
        step = 1;
      } else if (step <= 1 && waited > seconds(with_postmaster ? 10 : 2)) {
        for (const pid_t pid : left) ::kill(pid, SIGQUIT);
        step = 2;
      } else if (step == 2 && waited > seconds(15)) {
        for (const pid_t pid : left) ::kill(pid, SIGKILL);
        step = 3;
      } else if (waited > seconds(20)) {
        throw ClusterError("the processes of an earlier PostgreSQL server on " + files_.cluster.string() +
                           " do not end, such as " + std::to_string(left.front()));
      }
      if (should_stop()) throw ClusterError("stopped while an earlier PostgreSQL server was ending");
      std::this_thread::sleep_for(milliseconds(10));
    }
    // No server runs, so these files are stale; the pid in them may belong to an unrelated process by now.
    for (const fs::path& stale : {files_.cluster / "postmaster.pid", files_.socket / ".s.PGSQL.5432.lock"}) {
      std::error_code ignored;
      fs::remove(stale, ignored);
    }
  }

  void start_server() {
    write_file(files_, files_.cluster / "waybill.conf",
               server_settings(usable_memory(), compresses_with_lz4(programs_)));
    const fs::path log = files_.data_dir / "postgres.log";
    const FileHandle output(::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!output) throw ClusterError("cannot write " + log.string());
    const DirectoryForServer cluster(files_.cluster, files_.run_as);
    const DirectoryForServer socket(files_.socket, files_.run_as);
    ChildOptions child;
    child.command = {(programs_.directory / "postgres").string(),
                     "-D",
                     cluster.text(),
                     "-k",
                     socket.text(),
                     "-c",
                     "listen_addresses=",
                     "-c",
                     "port=5432",
                     "-c",
                     "unix_socket_permissions=0777"};
    child.run_as = files_.run_as;
    child.output = output.get();
    child.death_signal = SIGINT;
    cluster.pass_to(child);
    socket.pass_to(child);
    const pid_t server = start_child(child);
    {
      const Lock guard(mutex_);
      server_ = server;
      if (stopping_) ::kill(server, SIGINT);
    }
    await_ready(server, log);
  }

  /// Waits without a limit, because recovery may take long: a server that cannot start ends by itself.
  void await_ready(pid_t server, const fs::path& log) {
    auto next_report = steady_clock::now() + seconds(10);
    for (;;) {
      const PostmasterFile state = read_postmaster_file(files_.cluster);
      if (state.pid == server && state.ready) {
        observe(Observable::postgres_started,
                {{"version", programs_.version}, {"data_dir", files_.data_dir.string()}});
        return;
      }
      if (stop_.stop_requested()) ::kill(server, SIGINT);
      if (has_ended(server)) {
        const int status = reap();
        throw ClusterError("the PostgreSQL server ended with status " + std::to_string(status) + " (" +
                           log.string() + ")" + last_errors(log) +
                           last_errors(newest_file(files_.cluster / "log")));
      }
      if (steady_clock::now() > next_report) {
        observe(Observable::postgres_recovering, {{"server", server}});
        next_report += seconds(10);
      }
      std::this_thread::sleep_for(milliseconds(5));
    }
  }

  std::stop_token stop_;
  ClusterFiles files_;
  FileHandle lock_;
  PostgresPrograms programs_;
  std::string url_;

  Mutex mutex_;
  Condition changed_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  pid_t server_ GUARDED_BY(mutex_) = 0;  // 0 if none; written by supervisor_ only
  Thread supervisor_{ThreadKind::postgres};
};

PostgresCluster::PostgresCluster(const Options& options, std::stop_token stop)
    : impl_(std::make_unique<Impl>(options, std::move(stop))) {}

PostgresCluster::~PostgresCluster() = default;

const std::string& PostgresCluster::url() const { return impl_->url(); }

void PostgresCluster::stop(milliseconds limit) { impl_->stop(limit); }

std::string PostgresCluster::url_of(const fs::path& data_dir) {
  std::ifstream file(data_dir / "database-url");
  std::string url;
  if (!std::getline(file, url)) {
    throw ClusterError(
        "there is no database in " + data_dir.string() +
        " that this user can reach: start `waybill up` first, or give --data-dir or --database-url");
  }
  return url;
}

}  // namespace waybill::app
