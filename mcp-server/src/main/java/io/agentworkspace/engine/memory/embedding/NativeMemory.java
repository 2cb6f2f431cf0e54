package io.agentworkspace.engine.memory.embedding;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The memory of this process outside of the heap, on Linux. On other systems nothing is done. */
final class NativeMemory {
    private static final Logger LOG = LoggerFactory.getLogger(NativeMemory.class);
    private static final Path MAPS = Path.of("/proc/self/maps");
    private static final int HEXADECIMAL = 16;

    /** Advice from Linux 5.4 on: take the pages, which are read from their file again when they are needed. */
    private static final int MADV_PAGEOUT = 21;

    private NativeMemory() {}

    /**
     * Gives what is free back to the system, which the C library of most Linux distributions would keep, and the pages of a library
     * that is not in use now. A library once loaded stays so.
     *
     * @param library a part of the name of its file
     */
    static void giveBack(String library) {
        try {
            trim();
            if (Files.isReadable(MAPS)) {
                for (var line : Files.readAllLines(MAPS)) {
                    if (isOf(library, line)) {
                        pageOut(line);
                    }
                }
            }
        } catch (IOException | RuntimeException | LinkageError e) { // It is not needed.
            LOG.warn("could not give memory back to the system", e);
        }
    }

    /** Pages that were written to cannot be read from their file again, so they stay. */
    private static boolean isOf(String library, String line) {
        var permissions = line.split(" ", 3)[1];
        return line.substring(line.lastIndexOf('/') + 1).contains(library) && !permissions.contains("w");
    }

    private static void trim() {
        CLibrary.call("malloc_trim", FunctionDescriptor.of(JAVA_INT, JAVA_LONG), 0L);
    }

    /** @param line of the list of the process's memory: begin and end in hexadecimal, and more */
    private static void pageOut(String line) {
        var range = line.substring(0, line.indexOf(' ')).split("-", 2);
        var begin = Long.parseUnsignedLong(range[0], HEXADECIMAL);
        var end = Long.parseUnsignedLong(range[1], HEXADECIMAL);
        CLibrary.call(
                "madvise",
                FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT),
                MemorySegment.ofAddress(begin),
                end - begin,
                MADV_PAGEOUT);
    }
}
