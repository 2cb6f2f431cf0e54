package io.agentworkspace.engine.identity.dpop;

/** Why a proof is not accepted, in the words of RFC 9449. */
public final class DpopRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    static final String INVALID = "invalid_dpop_proof";
    static final String NONCE = "use_dpop_nonce";

    private final String code;
    private final String why;

    DpopRefusal(String code, String why) {
        super(why, null, false, false);
        this.code = code;
        this.why = why;
    }

    /** Returns the refusal of a proof that is wrong. */
    public static DpopRefusal invalid(String why) {
        return new DpopRefusal(INVALID, "the DPoP proof is not valid: " + why);
    }

    public String code() {
        return code;
    }

    public String why() {
        return why;
    }
}
