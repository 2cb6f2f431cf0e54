package io.agentworkspace.engine.secrets;

import io.agentworkspace.engine.db.Db;
import java.nio.charset.StandardCharsets;

/**
 * What keeps the secrets in the database that have to be read again: each is sealed under the master key and bound to its
 * place. The database has a check value, so that an engine with another key is told from one with the right one.
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

    /** @throws SecretsFailure when the database was sealed under a key that we do not have */
    public void check() {
        var sealed = db.sql("SELECT sealed FROM vault_check").one(row -> row.text("sealed"));
        if (sealed.isPresent() && keys.open(CHECK, sealed.get()).isEmpty()) {
            throw new SecretsFailure(
                    "the secrets in this database are sealed under another key: it belongs " + keys.whereItBelongs());
        }
        checked = sealed.isPresent();
    }

    /**
     * Seals a secret under the current key.
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

    /** From now on only who has the current key passes the check. */
    public void renewCheck() {
        writeCheck("UPDATE vault_check SET sealed = :sealed");
    }

    private void writeCheck(String statement) {
        db.sql(statement)
                .set("sealed", keys.current().seal(CHECK, CHECK.getBytes(StandardCharsets.US_ASCII)))
                .run();
    }

    /** @throws SecretsFailure when it cannot be opened, or belongs to another place */
    public byte[] open(String place, String sealed) {
        return keys.open(place, sealed)
                .orElseThrow(() -> new SecretsFailure("the secret of %s cannot be opened: its key belongs %s"
                        .formatted(place, keys.whereItBelongs())));
    }
}
