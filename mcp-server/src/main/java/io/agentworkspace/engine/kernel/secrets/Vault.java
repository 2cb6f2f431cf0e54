package io.agentworkspace.engine.kernel.secrets;

import io.agentworkspace.engine.kernel.db.Db;
import java.nio.charset.StandardCharsets;

/**
 * Protects the secrets in the database that must be read again: each is sealed with the master key and bound to its
 * place. A check value in the database detects an engine with a wrong key.
 */
public final class Vault {
    private static final String CHECK = "vault_check";

    private final Db db;
    private final MasterKeys keys;
    private volatile boolean checked;

    public Vault(Db db, MasterKeys keys) {
        this.db = db;
        this.keys = keys;
    }

    /**
     * Returns whether there is anything that was sealed.
     *
     * @throws SecretsFailure if the database was sealed with a key that is not available
     */
    public boolean check() {
        var sealed = db.sql("SELECT sealed FROM vault_check").one(row -> row.text("sealed"));
        if (sealed.isPresent() && keys.open(CHECK, sealed.get()).isEmpty()) {
            throw new SecretsFailure("the secrets in this database are encrypted with another key: put that key "
                    + keys.whereItBelongs());
        }
        checked = sealed.isPresent() && !db.inTransaction(); // Which may be rolled back.
        return sealed.isPresent();
    }

    /**
     * Seals a secret with the current key.
     *
     * @param place its table and row
     */
    public String seal(String place, byte[] secret) {
        if (!checked) {
            writeCheck("INSERT INTO vault_check (sealed) VALUES (:sealed) ON CONFLICT DO NOTHING");
            check();
        }
        return keys.current().seal(place, secret);
    }

    /** Seals the check value with the current key. From then on, only engines with that key pass the check. */
    public void renewCheck() {
        writeCheck("UPDATE vault_check SET sealed = :sealed");
    }

    private void writeCheck(String statement) {
        db.sql(statement)
                .set("sealed", keys.current().seal(CHECK, CHECK.getBytes(StandardCharsets.US_ASCII)))
                .run();
    }

    /** @throws SecretsFailure if it cannot be opened, or belongs to another place */
    public byte[] open(String place, String sealed) {
        return keys.open(place, sealed)
                .orElseThrow(() -> new SecretsFailure(
                        "cannot decrypt the secret of %s: put its key %s".formatted(place, keys.whereItBelongs())));
    }
}
