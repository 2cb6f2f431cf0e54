package io.agentworkspace.engine.kernel.metrics;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** The file descriptors of this process. The system limits them ({@code ulimit -n}). */
public final class FileDescriptors {
    /** The number that the process needs at least for the database, its files and its libraries. */
    private static final int RESERVE = 300;

    private static final int RESERVED_PART = 4;
    private static final int FEWEST = 16;

    private FileDescriptors() {}

    /** Returns how many connections of clients there may be, so that enough descriptors are left for everything else. */
    public static long forConnections() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? forConnections(system.getMaxFileDescriptorCount())
                : Integer.MAX_VALUE;
    }

    /** Returns how many descriptors are free. */
    public static long free() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? system.getMaxFileDescriptorCount() - system.getOpenFileDescriptorCount()
                : Integer.MAX_VALUE;
    }

    static long forConnections(long all) {
        return Math.clamp(all - Math.max(RESERVE, all / RESERVED_PART), FEWEST, Integer.MAX_VALUE);
    }
}
