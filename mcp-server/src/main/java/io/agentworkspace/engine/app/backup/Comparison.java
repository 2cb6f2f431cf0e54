package io.agentworkspace.engine.app.backup;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;

/** Compares what was restored with what the manifest says. */
record Comparison(Manifest manifest, BackupQueries.Snapshot restored) {
    private static final int SHOWN = 10;

    /** @throws BackupFailure if anything is missing or different */
    void check() {
        var wrong = tables();
        if (!wrong.isEmpty()) {
            throw new BackupFailure("the backup is wrong in %d tables: %s", wrong.size(), shown(wrong));
        }
        var others = others();
        if (!others.isEmpty()) {
            throw new BackupFailure("the data are complete, but not the schema: %s", shown(others));
        }
    }

    private List<String> tables() {
        var wrong = new ArrayList<String>();
        var names = new TreeSet<>(manifest.tables().keySet());
        names.addAll(restored.tables().keySet());
        for (var name : names) {
            var expected = manifest.tables().get(name);
            var found = restored.tables().get(name);
            if (found == null) {
                wrong.add(name + " is missing");
            } else if (expected == null) {
                wrong.add(name + " is not in the manifest");
            } else if (expected.rows() != found.rows()) {
                wrong.add("%s has %,d rows instead of %,d".formatted(name, found.rows(), expected.rows()));
            } else if (!expected.equals(found)) {
                wrong.add("%s has other contents".formatted(name));
            }
        }
        return wrong;
    }

    /** Sequences go on while a dump is made, and never back. */
    private List<String> others() {
        var wrong = new ArrayList<String>();
        manifest.sequences().forEach((name, least) -> {
            var found = restored.sequences().get(name);
            if (found == null || found < least) {
                wrong.add("the sequence %s is at %s instead of %d"
                        .formatted(name, Objects.requireNonNullElse(found, "none"), least));
            }
        });
        manifest.objects().forEach((kind, expected) -> {
            var found = restored.objects().get(kind);
            if (!expected.equals(found)) {
                wrong.add("%s %s instead of %d".formatted(Objects.requireNonNullElse(found, "no"), kind, expected));
            }
        });
        return wrong;
    }

    private static String shown(List<String> wrong) {
        var first = String.join(", ", wrong.subList(0, Math.min(SHOWN, wrong.size())));
        return wrong.size() > SHOWN ? first + ", …" : first;
    }
}
