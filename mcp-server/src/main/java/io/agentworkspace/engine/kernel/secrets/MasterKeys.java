package io.agentworkspace.engine.kernel.secrets;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The master key: from the setting, else from a file in the data directory, which is created when first needed.
 * Earlier keys can still decrypt what they encrypted.
 */
public final class MasterKeys {
    /** The file in the data directory. */
    static final String FILE = "secrets-key";

    private static final Logger log = LoggerFactory.getLogger(MasterKeys.class);
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    private final AtomicBoolean warned = new AtomicBoolean();
    private final @Nullable MasterKey setting;
    private final Path file;
    private final List<MasterKey> others;

    /**
     * @param setting the key in the setting; null if it is not set
     * @param others keys that only decrypt
     */
    public MasterKeys(@Nullable MasterKey setting, Path directory, MasterKey... others) {
        this.setting = setting;
        this.file = directory.resolve(FILE);
        this.others = List.of(others);
    }

    /** Returns the key that encrypts. */
    public MasterKey current() {
        return there().orElseGet(this::make);
    }

    /** Returns the secret, if one of our keys encrypted it for this place. */
    Optional<byte[]> open(String place, String sealed) {
        return Stream.concat(there().stream(), others.stream())
                .flatMap(key -> key.open(place, sealed).stream())
                .findFirst();
    }

    /** Returns where the key belongs, for the message about a lost key. */
    String whereItBelongs() {
        return "in ENGINE_SECRETS_KEY or in the file " + file;
    }

    private Optional<MasterKey> there() {
        try {
            if (setting != null || !Files.exists(file)) {
                return Optional.ofNullable(setting);
            }
            warnOfReaders();
            return Optional.of(MasterKey.parse(Files.readString(file)));
        } catch (IOException | IllegalArgumentException e) {
            throw new SecretsFailure("cannot read the key for secrets from " + file, e);
        }
    }

    /**
     * Warns once if others can read the file. The start continues, since the engine may be unable to change a mounted
     * file.
     */
    private void warnOfReaders() throws IOException {
        var mode = Files.getPosixFilePermissions(file);
        if (!OWNER_ONLY.containsAll(mode) && warned.compareAndSet(false, true)) {
            log.warn(
                    "the key for secrets can be read or changed by others: {} has mode {}. Run chmod 600 on it, and change the key if others use this machine",
                    file,
                    PosixFilePermissions.toString(mode));
        }
    }

    /** Creates a key. If several processes do so at the same time, all use the first. */
    private MasterKey make() {
        var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        try {
            Files.createDirectories(file.getParent());
            var draft = Files.createTempFile(file.getParent(), FILE, ".new", mode);
            try {
                write(draft, MasterKey.generate(new SecureRandom()).reveal() + "\n");
                Files.createLink(file, draft);
            } catch (FileAlreadyExistsException e) {
                // Another process was faster.
            } finally {
                Files.delete(draft);
            }
        } catch (IOException e) {
            throw new SecretsFailure("cannot write the key for secrets to " + file, e);
        }
        return there().orElseThrow();
    }

    /** Writes the key to disk, which must be complete before it encrypts anything. */
    private static void write(Path path, String text) throws IOException {
        try (var channel = FileChannel.open(path, Set.of(StandardOpenOption.WRITE))) {
            channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
            channel.force(true);
        }
    }
}
