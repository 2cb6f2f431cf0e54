package io.agentworkspace.engine.kernel.db.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The command prefix that runs PostgreSQL's programs as an ordinary user (they refuse root), out of reach of the
 * terminal's Ctrl-C. It also makes them end with the thread that started them. The last two are left out if the
 * system has no such tool.
 *
 * @param account the required owner of the files, if that is not the engine's user
 */
record UnprivilegedCommand(List<String> prefix, @Nullable String account) {
    private static final Logger log = LoggerFactory.getLogger(UnprivilegedCommand.class);
    private static final String NEW_SESSION = "setsid ";
    /** Must come after a change of user, at which the kernel discards the signal. */
    private static final String DIES_WITH_PARENT = "setpriv --pdeathsig=INT -- ";
    /** A user namespace without a mapping: inside, the user is nobody; outside, its files are root's. */
    private static final String UNMAPPED = "unshare -U -- ";

    static boolean runningAsRoot() {
        return System.getProperty("user.name").equals("root");
    }

    /** Returns the first method that works here and lets PostgreSQL reach the data directory. */
    static UnprivilegedCommand choose(DataDirectory directory) {
        List<UnprivilegedCommand> ways = runningAsRoot() ? waysForRoot(directory) : waysForUser();
        return ways.stream()
                .filter(way -> way.reaches(directory))
                .findFirst()
                .orElseThrow(() -> new PostgresFailure(
                        runningAsRoot()
                                ? """
                        PostgreSQL must not run as root, and no other user can enter the data directory (%s). Start the engine as an ordinary user, \
                        or set ENGINE_DATA_DIR to a directory that the user nobody can reach""".formatted(directory.root())
                                : "PostgreSQL cannot enter " + directory.root()));
    }

    List<String> command(Path program, List<String> arguments) {
        var words = new ArrayList<>(prefix);
        words.add(program.toString());
        words.addAll(arguments);
        return words;
    }

    /** Gives a file to the user that PostgreSQL runs as. */
    void handOver(Path path) throws IOException {
        if (account != null) {
            var accounts = path.getFileSystem().getUserPrincipalLookupService();
            Files.setOwner(path, accounts.lookupPrincipalByName(account));
        }
    }

    private static List<UnprivilegedCommand> waysForUser() {
        return List.of(
                way(null, NEW_SESSION + DIES_WITH_PARENT),
                way(null, NEW_SESSION),
                way(null, Platform.NEW_SESSION_ON_MACOS),
                new UnprivilegedCommand(List.of(), null));
    }

    /**
     * Returns the methods for root. An existing cluster's owner decides; a new cluster is root's where user
     * namespaces are allowed.
     */
    private static List<UnprivilegedCommand> waysForRoot(DataDirectory directory) {
        String owner = owner(directory.cluster());
        if (owner != null && !owner.equals("root")) {
            return List.of(as(owner));
        }
        var ways = new ArrayList<>(
                List.of(way(null, NEW_SESSION + UNMAPPED + DIES_WITH_PARENT), way(null, NEW_SESSION + UNMAPPED)));
        if (owner == null) {
            ways.add(as("postgres"));
            ways.add(as("nobody"));
        }
        return ways;
    }

    private static @Nullable String owner(Path cluster) {
        try {
            return Files.exists(cluster) ? Files.getOwner(cluster).getName() : null;
        } catch (IOException e) {
            throw new PostgresFailure("cannot read the owner of " + cluster + ": " + e, e);
        }
    }

    private static UnprivilegedCommand as(String account) {
        // PostgreSQL checks only the user, not the group.
        String change = "setpriv --reuid=%s --regid=%d --clear-groups -- ".formatted(account, DataDirectory.NOGROUP);
        return way(account, NEW_SESSION + change + DIES_WITH_PARENT);
    }

    private static UnprivilegedCommand way(@Nullable String account, String words) {
        return new UnprivilegedCommand(List.of(words.split(" ")), account);
    }

    /** Returns whether PostgreSQL reaches the directory, which is restricted as far as this method allows. */
    private boolean reaches(DataDirectory directory) {
        permit(directory);
        var probe = new ArrayList<>(prefix);
        probe.addAll(List.of("sh", "-c", "cd \"$1\"", "sh", directory.root().toString()));
        return PostgresProgram.run(probe).succeeded();
    }

    private void permit(DataDirectory directory) {
        try {
            if (account != null) {
                directory.letPass();
            } else if (runningAsRoot()) {
                directory.closeForOthers();
            }
        } catch (IOException e) {
            log.warn("cannot set the mode of the data directory {}: {}", directory.root(), e.toString());
        }
    }
}
