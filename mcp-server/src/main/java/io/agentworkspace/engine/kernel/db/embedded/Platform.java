package io.agentworkspace.engine.kernel.db.embedded;

import java.util.Optional;

/**
 * A system and processor with an embedded PostgreSQL, and all that PostgreSQL needs on macOS. Nobody has reported on macOS yet.
 *
 * @param archive PostgreSQL's programs on the class path
 */
record Platform(String archive) {
    /**
     * The variable that is {@code C} for PostgreSQL's programs. Without it, a library of macOS looks for the user's locale in a thread of its own, and
     * PostgreSQL refuses to run with one ("postmaster became multithreaded during startup").
     */
    static final String LOCALE_VARIABLE = "LC_ALL";

    /** Runs a command out of reach of the terminal's Ctrl-C. macOS has no setsid, but Perl. */
    static final String NEW_SESSION_ON_MACOS = "perl -MPOSIX=setsid -e setsid;exec{$ARGV[0]}(@ARGV) -- ";

    /** The platform of this process. */
    static Optional<Platform> current() {
        return of(System.getProperty("os.name"), System.getProperty("os.arch"));
    }

    /**
     * Returns the platform with these names.
     *
     * @param system the JVM's {@code os.name}: {@code Linux} or {@code Mac OS X}
     * @param processor the JVM's {@code os.arch}: on Linux {@code amd64}, on macOS {@code x86_64}, on both {@code aarch64}
     */
    static Optional<Platform> of(String system, String processor) {
        return switch (system + " " + processor) {
            case "Linux amd64" -> Optional.of(new Platform("/postgres-linux-x86_64.txz"));
            case "Linux aarch64" -> Optional.of(new Platform("/postgres-linux-arm_64.txz"));
            case "Mac OS X x86_64" -> Optional.of(new Platform("/postgres-darwin-x86_64.txz"));
            case "Mac OS X aarch64" -> Optional.of(new Platform("/postgres-darwin-arm_64.txz"));
            default -> Optional.empty();
        };
    }
}
