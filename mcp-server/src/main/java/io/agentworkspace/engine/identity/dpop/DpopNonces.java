package io.agentworkspace.engine.identity.dpop;

import io.agentworkspace.engine.kernel.secrets.SealKeys;
import io.agentworkspace.engine.kernel.secrets.StateSigner;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The nonces with which clients whose clocks are wrong show when they signed. They contain the time, sealed for all replicas. */
final class DpopNonces {
    private static final String BOUND = "dpop nonce";
    private static final Duration LIFE = Duration.ofMinutes(5);

    private final StateSigner signer;
    private final Clock clock;

    DpopNonces(SealKeys seals, Clock clock) {
        this.signer = new StateSigner(seals);
        this.clock = clock;
    }

    String issue() {
        var now = clock.instant().getEpochSecond();
        return signer.seal(BOUND, ByteBuffer.allocate(Long.BYTES).putLong(now).array());
    }

    /** Returns when a nonce expires; empty if it has, or this server did not issue it. */
    Optional<Instant> expires(String nonce) {
        return signer.open(BOUND, nonce)
                .map(content -> Instant.ofEpochSecond(ByteBuffer.wrap(content).getLong())
                        .plus(LIFE))
                .filter(end -> clock.instant().isBefore(end));
    }
}
