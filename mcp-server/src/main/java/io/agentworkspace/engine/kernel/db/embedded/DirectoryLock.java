package io.agentworkspace.engine.kernel.db.embedded;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Locks a data directory for one engine. The operating system releases the lock when the process ends for any reason.
 */
final class DirectoryLock implements AutoCloseable {
    /**
     * Closing any channel on a locked file releases the whole process's lock, so this process must never open the
     * file twice.
     */
    private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

    private final Path file;
    private final FileChannel channel;

    private DirectoryLock(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    static DirectoryLock take(DataDirectory directory) {
        Path file = directory.lock();
        if (!HELD_HERE.add(file)) {
            throw inUse(directory, Long.toString(ProcessHandle.current().pid()));
        }
        try {
            return new DirectoryLock(file, lock(directory, file));
        } catch (IOException e) {
            HELD_HERE.remove(file);
            throw new PostgresFailure("cannot lock the data directory " + directory.root() + ": " + e, e);
        } catch (PostgresFailure e) {
            HELD_HERE.remove(file);
            throw e;
        }
    }

    private static FileChannel lock(DataDirectory directory, Path file) throws IOException {
        FileModes.keepPrivate(file); // A user who can open the file can also lock it.
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        if (channel.tryLock() == null) {
            try (channel) {
                ByteBuffer holder = ByteBuffer.allocate(20);
                channel.read(holder);
                throw inUse(
                        directory,
                        StandardCharsets.US_ASCII
                                .decode(holder.flip())
                                .toString()
                                .strip());
            }
        }
        channel.truncate(0);
        channel.write(StandardCharsets.US_ASCII.encode(ProcessHandle.current().pid() + "\n"));
        return channel;
    }

    private static PostgresFailure inUse(DataDirectory directory, String holder) {
        return new PostgresFailure("""
                the data directory %s is in use by another engine, process %s: \
                stop that engine, or choose another directory with ENGINE_DATA_DIR""".formatted(directory.root(), holder), true);
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new PostgresFailure("cannot release the lock " + file + ": " + e, e);
        } finally {
            HELD_HERE.remove(file);
        }
    }
}
