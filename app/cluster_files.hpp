#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/child_process.hpp"
#include "app/postgres_programs.hpp"

namespace waybill::app {

/// Where a cluster's directories are, and as whom its server runs. All functions throw ClusterError.
struct ClusterFiles {
  std::filesystem::path data_dir;  // absolute
  std::filesystem::path cluster;   // data_dir/postgres
  std::filesystem::path socket;    // the directory of the unix socket
  std::optional<Identity> run_as;  // as root
};

/// Makes the data directory if need be. Refuses a directory of the socket that another user has made.
ClusterFiles open_data_dir(const std::filesystem::path& data_dir);

/// The lock on the data directory, for as long as the handle lives. Throws ClusterInUse.
FileHandle lock_data_dir(const std::filesystem::path& data_dir);

/// Makes the cluster with an empty database `waybill`: whole, or, when killed meanwhile, not at all.
void make_cluster(const ClusterFiles& files, const PostgresPrograms& programs);

/// The major version of the cluster's files; 0 when there is no cluster.
int cluster_version(const ClusterFiles& files);

/// Makes the directory of the socket, with the data directory's permissions.
void make_socket_directory(const ClusterFiles& files);

/// Writes the whole file for the server's user.
void write_file(const ClusterFiles& files, const std::filesystem::path& path, std::string_view content,
                unsigned mode = 0600);

/// How the server is told a directory: by its path, or, when it runs as another user, by a descriptor it
/// inherits.
class DirectoryForServer {
 public:
  DirectoryForServer(const std::filesystem::path& directory, const std::optional<Identity>& run_as);
  const std::string& text() const { return text_; }
  void hand_to(ChildOptions& child) const;

 private:
  FileHandle handle_;
  std::string text_;
};

}  // namespace waybill::app
