#include "app/postgres/cluster_files.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <pwd.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "app/postgres/postgres_cluster.hpp"
#include "base/crypto.hpp"

namespace waybill::app {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) { return std::generic_category().message(error); }

[[noreturn]] void fail(const std::string& problem, const fs::path& path) {
  throw ClusterError(problem + " " + path.string() + ": " + reason(errno));
}

struct stat status_of(const fs::path& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) fail("cannot inspect", path);
  return status;
}

Identity user_named(const char* name, bool& found) {
  std::array<char, 16384> buffer{};
  passwd entry{};
  passwd* result = nullptr;
  found = ::getpwnam_r(name, &entry, buffer.data(), buffer.size(), &result) == 0 && result != nullptr;
  return found ? Identity{entry.pw_uid, entry.pw_gid} : Identity{};
}

std::optional<Identity> server_user(const fs::path& cluster) {
  struct stat status{};
  const bool exists = ::lstat(cluster.c_str(), &status) == 0;
  if (::geteuid() != 0) {
    if (exists && status.st_uid != ::geteuid()) {
      throw ClusterError(cluster.string() + " belongs to the user with id " + std::to_string(status.st_uid) +
                         "; only that user and root can start its server");
    }
    return std::nullopt;
  }
  if (exists && status.st_uid != 0) return Identity{status.st_uid, status.st_gid};
  for (const char* name : {"postgres", "nobody"}) {
    bool found = false;
    const Identity identity = user_named(name, found);
    if (found && identity.user != 0) return identity;
  }
  throw ClusterError(
      "PostgreSQL refuses to run as root, and there is no user postgres or nobody to run it as");
}

void make_directory(const fs::path& path, mode_t mode, const std::optional<Identity>& owner) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) fail("cannot create the directory", path);
  const struct stat status = status_of(path);
  if (!S_ISDIR(status.st_mode)) throw ClusterError(path.string() + " is not a directory");
  if (owner && (status.st_uid != owner->user || status.st_gid != owner->group) &&
      ::lchown(path.c_str(), owner->user, owner->group) != 0) {
    fail("cannot change the owner of", path);
  }
  if ((status.st_mode & 07777) != mode && ::chmod(path.c_str(), mode) != 0)
    fail("cannot set the mode of", path);
}

/// Throws ClusterError if another user has put something in the place of a directory.
void check_owner(const fs::path& path, const ClusterFiles& files) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return;
    fail("cannot inspect", path);
  }
  const bool ours = status.st_uid == ::geteuid() || status.st_uid == status_of(files.data_dir).st_uid ||
                    (files.run_as && status.st_uid == files.run_as->user);
  if (!ours || !S_ISDIR(status.st_mode)) {
    throw ClusterError(path.string() + " is needed for the server's socket, but " +
                       (ours ? "is not a directory" : "belongs to another user") + "; remove it");
  }
}

/// Checks the parent first, because its owner controls its content.
void check_socket_directory(const ClusterFiles& files) {
  const fs::path parent = files.socket.parent_path();
  if (parent != files.data_dir) check_owner(parent, files);
  check_owner(files.socket, files);
}

/// The socket's directory: in the data directory, or in /tmp under a short name if the path would be too
/// long.
fs::path socket_directory(const fs::path& data_dir) {
  fs::path inside = data_dir / "socket";
  constexpr std::size_t room = sizeof(sockaddr_un::sun_path) - sizeof "/.s.PGSQL.5432";
  if (inside.string().size() <= room) return inside;
  const auto digest = sha256(data_dir.string());
  return fs::path("/tmp/waybill-" + hex(std::span(digest).first(8))) / "socket";
}

FileHandle memory_file(std::string_view content) {
  FileHandle file(::memfd_create("waybill", MFD_CLOEXEC));
  if (!file || ::pwrite(file.get(), content.data(), content.size(), 0) < 0) {
    throw ClusterError("cannot create a file in memory: " + reason(errno));
  }
  return file;
}

std::string read_back(const FileHandle& file) {
  std::string text(4000, '\0');
  const ssize_t got = ::pread(file.get(), text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

void run_setup(const ClusterFiles& files, const DirectoryForServer& directory,
               std::vector<std::string> command, std::string_view input) {
  const FileHandle standard_input = memory_file(input);
  const FileHandle output = memory_file("");
  ChildOptions child;
  child.command = std::move(command);
  child.run_as = files.run_as;
  child.input = standard_input.get();
  child.output = output.get();
  child.death_signal = SIGKILL;
  directory.pass_to(child);
  if (wait_for_child(start_child(child)) != 0) {
    throw ClusterError(child.command.front() + " failed: " + read_back(output));
  }
}

void sync_directory(const fs::path& path) {
  const FileHandle directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory || ::fsync(directory.get()) != 0) fail("cannot sync", path);
}

}  // namespace

ClusterFiles open_data_dir(const fs::path& data_dir) {
  ClusterFiles files;
  files.data_dir = fs::absolute(data_dir).lexically_normal();
  if (!files.data_dir.has_filename()) files.data_dir = files.data_dir.parent_path();
  files.socket = socket_directory(files.data_dir);
  if (files.socket.native().find(',') != std::string::npos) {
    throw ClusterError("--data-dir must not have a comma in its path, which is " + files.data_dir.string() +
                       ": PostgreSQL's clients read a comma as the end of a host");
  }
  std::error_code error;
  if (!fs::exists(files.data_dir, error)) {
    fs::create_directories(files.data_dir.parent_path(), error);
    make_directory(files.data_dir, 0700, std::nullopt);
  }
  if (!fs::is_directory(files.data_dir, error))
    throw ClusterError(files.data_dir.string() + " is not a directory");
  files.cluster = files.data_dir / "postgres";
  files.run_as = server_user(files.cluster);
  check_socket_directory(files);
  return files;
}

FileHandle lock_data_dir(const fs::path& data_dir) {
  const fs::path path = data_dir / "up.lock";
  FileHandle file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file) fail("cannot open", path);
  const struct stat owner = status_of(data_dir);
  if (::geteuid() == 0 && owner.st_uid != 0) (void)!::fchown(file.get(), owner.st_uid, owner.st_gid);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    std::string holder(20, '\0');
    const ssize_t got = ::pread(file.get(), holder.data(), holder.size(), 0);
    holder.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    while (holder.ends_with('\n')) holder.pop_back();
    throw ClusterInUse("the data directory " + data_dir.string() + " is in use by process " + holder);
  }
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(file.get(), 0) != 0 || ::pwrite(file.get(), pid.data(), pid.size(), 0) < 0)
    fail("cannot write", path);
  return file;
}

void write_file(const ClusterFiles& files, const fs::path& path, std::string_view content, unsigned mode) {
  const FileHandle file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode));
  if (!file || ::write(file.get(), content.data(), content.size()) != static_cast<ssize_t>(content.size())) {
    fail("cannot write", path);
  }
  if (files.run_as && ::fchown(file.get(), files.run_as->user, files.run_as->group) != 0) {
    fail("cannot change the owner of", path);
  }
  if (::fchmod(file.get(), mode) != 0) fail("cannot set the mode of", path);
}

void make_cluster(const ClusterFiles& files, const PostgresPrograms& programs) {
  static constexpr std::string_view unfinished = "postgres.new";
  const fs::path fresh = files.data_dir / unfinished;
  std::error_code error;
  fs::remove_all(fresh, error);
  make_directory(fresh, 0700, files.run_as);
  {
    const DirectoryForServer directory(fresh, files.run_as);
    run_setup(files, directory,
              {(programs.directory / "initdb").string(), "-D", directory.text(), "-U", "waybill", "-E",
               "UTF8", "--locale=C", "--lc-ctype=C.UTF-8", "--auth=trust"},
              "");
    write_file(files, fresh / "pg_hba.conf",
               "# Users who may enter the data directory may connect.\nlocal all all trust\n");
    write_file(files, fresh / "postgresql.conf",
               "include_if_exists 'waybill.conf'  # rewritten at each start\n\n"
               "# Your own settings below this line override those.\n");
    run_setup(
        files, directory,
        {(programs.directory / "postgres").string(), "--single", "-j", "-D", directory.text(), "postgres"},
        "create database waybill;\n\n");
  }
  fs::rename(fresh, files.cluster, error);
  if (error) throw ClusterError("cannot rename " + fresh.string() + ": " + error.message());
  sync_directory(files.data_dir);
}

int cluster_version(const ClusterFiles& files) {
  std::error_code error;
  if (!fs::exists(files.cluster, error)) return 0;
  std::ifstream file(files.cluster / "PG_VERSION");
  int version = 0;
  if (!(file >> version) || version <= 0) {
    throw ClusterError(files.cluster.string() + " is not a PostgreSQL cluster (PG_VERSION cannot be read)");
  }
  return version;
}

void make_socket_directory(const ClusterFiles& files) {
  const struct stat data = status_of(files.data_dir);
  const fs::path parent = files.socket.parent_path();
  if (parent != files.data_dir) {
    if (::mkdir(parent.c_str(), 0700) != 0) check_owner(parent, files);
    make_directory(parent, data.st_mode & 07777, std::nullopt);
    const struct stat made = status_of(parent);
    if (made.st_uid != data.st_uid || made.st_gid != data.st_gid) {
      (void)!::lchown(parent.c_str(), data.st_uid, data.st_gid);
    }
  }
  check_owner(files.socket, files);
  make_directory(files.socket, 0755, files.run_as);
}

DirectoryForServer::DirectoryForServer(const fs::path& directory, const std::optional<Identity>& run_as)
    : text_(directory.string()) {
  if (!run_as) return;
  handle_.reset(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!handle_) fail("cannot open", directory);
  text_ = "/proc/self/fd/" + std::to_string(handle_.get());
}

void DirectoryForServer::pass_to(ChildOptions& child) const {
  if (handle_) child.inherited.push_back(handle_.get());
}

}  // namespace waybill::app
