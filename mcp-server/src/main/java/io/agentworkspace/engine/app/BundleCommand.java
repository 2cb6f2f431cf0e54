package io.agentworkspace.engine.app;

import io.agentworkspace.engine.app.bundle.Bundle;
import io.agentworkspace.engine.app.bundle.BundleQueries;
import io.agentworkspace.engine.app.settings.InvalidSetting;
import io.agentworkspace.engine.app.settings.Settings;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;

/**
 * The command {@code bundle [<file>]}: writes an archive for a bug report, without secrets. It works beside a running engine,
 * without one, and with settings that are not valid.
 */
record BundleCommand(Map<String, String> environment, List<String> flags, Clock clock) {
    static final String WORD = "bundle";

    private static final DateTimeFormatter NAME =
            DateTimeFormatter.ofPattern("'engine-bundle-'yyyyMMdd-HHmmss'.zip'").withZone(ZoneOffset.UTC);

    /**
     * @param words the words after {@code bundle} on the command line, without the flags
     * @return what was written
     * @throws InvalidSetting if the words are not valid, or the file cannot be written
     */
    String run(List<String> words) {
        if (words.size() > 1) {
            throw new InvalidSetting("usage: bundle [<file>] [<flags>]");
        }
        var file = Path.of(words.isEmpty() ? NAME.format(clock.instant()) : words.getFirst());
        var bundle = new Bundle(
                this::settings,
                App.VERSION,
                environment,
                flags,
                () -> new DoctorCommand(settings(), clock).besideTheEngine(),
                () -> DatabaseSource.running(settings())
                        .map(source -> new BundleQueries(source.url(), source.user(), source.password()).read())
                        .orElse("the embedded database is not running\n"));
        try {
            var names = bundle.write(file);
            return "%s: %s%nSecrets and texts are removed. Read it before you send it.%n"
                    .formatted(file, String.join(", ", names));
        } catch (FileAlreadyExistsException e) {
            throw new InvalidSetting("%s exists: name another file".formatted(file));
        } catch (IOException e) {
            throw new InvalidSetting("%s cannot be written: %s".formatted(file, e));
        }
    }

    private Settings settings() {
        return Settings.read(environment, flags);
    }
}
