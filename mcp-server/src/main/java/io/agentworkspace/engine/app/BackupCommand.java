package io.agentworkspace.engine.app;

import io.agentworkspace.engine.app.backup.Backup;
import io.agentworkspace.engine.app.backup.BackupQueries;
import io.agentworkspace.engine.app.settings.InvalidSetting;
import io.agentworkspace.engine.app.settings.Settings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command {@code backup <folder>}: dumps the database beside a running engine. With {@code --verify} it restores a
 * backup into a temporary server and compares it with what was dumped.
 */
record BackupCommand(Settings settings, Backup backup) {
    static final String WORD = "backup";

    private static final String VERIFY = "--verify";
    private static final String USAGE = "usage: backup <folder> [<flags>], or backup --verify <folder> [<flags>]";

    /** Returns the words with the option in front, where flags do not begin yet. */
    static List<String> words(List<String> commandLine) {
        if (!commandLine.contains(VERIFY)) {
            return commandLine;
        }
        var words = new ArrayList<>(commandLine);
        words.remove(VERIFY);
        words.addFirst("verify");
        return words;
    }

    /**
     * @param words the words after {@code backup} on the command line, without the flags
     * @return what was done
     * @throws InvalidSetting if the words are not valid
     */
    String run(List<String> words) {
        if (words.size() == 2 && words.getFirst().equals("verify")) {
            var keys = settings.secrets().masterKeys(settings.database().dataDir());
            return backup.verify(Path.of(words.getLast()), keys);
        } else if (words.size() == 1) {
            return DatabaseSource.with(settings, source -> backup.make(queries(source), Path.of(words.getFirst())));
        }
        throw new InvalidSetting(USAGE);
    }

    private static BackupQueries queries(DatabaseSource source) {
        var direct = source.direct();
        return new BackupQueries(direct == null ? source.url() : direct, source.user(), source.password());
    }
}
