package io.agentworkspace.engine.model.access;

/**
 * What a tool requires of its target, besides a capability and a role. Each kind of target has its own requirements.
 * One exhaustive switch decides each kind, so that a requirement without a check does not compile.
 */
public sealed interface Requirement {
    /** Returns the kind of target, as used in {@code kind:name}. */
    default String kind() {
        return switch (this) {
            case OfAgent _ -> "agent";
            case OfDomain _ -> "domain";
            case OfZone _ -> "zone";
            case OfBank _ -> "bank";
            case OfUser _ -> "user";
            case OfKey _ -> "key";
            case OfDocument _ -> "document";
            case OfCredential _ -> "credential";
        };
    }

    /**
     * Returns whether the tool's handler must check the requirement before the change is committed. Visibility is a
     * condition of each query, and the runner checks who may act for a user.
     */
    default boolean isCheckedByHandlers() {
        return switch (this) {
            case OfAgent required -> required != OfAgent.SEE;
            case OfDomain required -> required != OfDomain.SEE;
            case OfZone _ -> true;
            case OfBank required -> required != OfBank.SEE;
            case OfUser required -> required != OfUser.STAND_FOR;
            case OfKey required -> required != OfKey.SEE;
            case OfDocument required -> required != OfDocument.SEE;
            case OfCredential _ -> true;
        };
    }

    /** Returns the requirement in words, to follow "It needs …". */
    String words();

    /** Requirements of an agent. */
    enum OfAgent implements Requirement {
        SEE("that you may see it"),
        OWN("that it is yours, or that you are an admin"),
        /** To log on as the agent. */
        BE("that it is your own agent"),
        /** To name the agent as the acting one. */
        ACT("that it is your own agent, or that you are an admin"),
        /** To make the agent the host of a domain. */
        HOST("that it is your own agent, or that you are an admin"),
        /** To bind a key to the agent. */
        BIND("that it belongs to the key's user, and that your key is not bound to another");

        private final String words;

        OfAgent(String words) {
            this.words = words;
        }

        @Override
        public String words() {
            return words;
        }
    }

    /** Requirements of a domain. */
    enum OfDomain implements Requirement {
        SEE("that you may see it"),
        OWN("that it is yours, or that you are an admin"),
        /** To send messages in its zones. */
        TAKE_PART(
                "that you take part: the agent you are logged on as, or one of yours, is a member, or it is your domain"),
        /** To read the messages in its zones. */
        HEAR("that you take part: one of your agents is a member, or it is your domain"),
        RUN("that you decide for its side: as its owner, an admin, or logged on as its host"),
        /** Any user for their own agents; those who run the domain for all agents. */
        RUN_OR_OWN_AGENT("that you decide for its side, or that the agent is yours"),
        /** Like {@link #RUN_OR_OWN_AGENT}, but a user's own agent must not be banned. */
        LET_IN("that you decide for its side, or that the agent is yours and not banned");

        private final String words;

        OfDomain(String words) {
            this.words = words;
        }

        @Override
        public String words() {
            return words;
        }
    }

    /** Requirements of a zone. Each is checked on the zone's domain. */
    enum OfZone implements Requirement {
        TAKE_PART(OfDomain.TAKE_PART),
        HEAR(OfDomain.HEAR),
        RUN(OfDomain.RUN);

        private final OfDomain inDomain;

        OfZone(OfDomain inDomain) {
            this.inDomain = inDomain;
        }

        public OfDomain inDomain() {
            return inDomain;
        }

        @Override
        public String words() {
            return inDomain.words();
        }
    }

    /** Requirements of a memory bank. */
    enum OfBank implements Requirement {
        SEE("that you may see it"),
        READ("the permission read"),
        APPEND("the permission append"),
        MANAGE("the permission manage"),
        /** Any user for what their own agents stored; those who manage the bank for everything. */
        MANAGE_OR_OWN_SHARE("the permission manage; for an agent's share that the agent is yours"),
        /** Like {@link #MANAGE_OR_OWN_SHARE}, for memories in the trash. */
        RESTORE(MANAGE_OR_OWN_SHARE.words),
        /** To list permissions (read), or to set one (manage). */
        READ_OR_GRANT("the permission read; to set one, manage"),
        /** To view (read), or to change something (append). */
        READ_OR_APPEND("the permission read to view; to change something, append"),
        /** To delete it (its owner), or what an agent stored in it (who manages it, or the agent's user). */
        OWN_OR_SHARE(
                "that it is yours, or that you are an admin; for an agent's share the permission manage, or that the agent"
                        + " is yours");

        private final String words;

        OfBank(String words) {
            this.words = words;
        }

        @Override
        public String words() {
            return words;
        }
    }

    /** Requirements of the user in {@code target.user}. */
    enum OfUser implements Requirement {
        /** To act for the user: required by every tool that has {@code target.user}. */
        STAND_FOR(
                "that it is you, or that you are an admin whose key is neither bound to an agent nor another key's child"),
        /** To create a key for the user. */
        KEY_OF(STAND_FOR.words + "; and that its role is not more than yours"),
        /** To change the user. */
        GOVERN(STAND_FOR.words + "; of an owner, that you are one"),
        REMOVE(
                "that it is not you, and that your key is neither bound to an agent nor another key's child; of an owner, that"
                        + " you are one");

        private final String words;

        OfUser(String words) {
            this.words = words;
        }

        /** Returns whether the tool is about the user in {@code target.user}, rather than acting for that user. */
        public boolean isAboutUser() {
            return switch (this) {
                case STAND_FOR, KEY_OF -> false;
                case GOVERN, REMOVE -> true;
            };
        }

        @Override
        public String words() {
            return words;
        }
    }

    /** Requirements of an API key. */
    enum OfKey implements Requirement {
        SEE("that you may see it"),
        /** To revoke or delete the key. */
        END("that you manage it, and that its user's role is not more than yours"),
        CHANGE(END.words + "; to give it more or a later end, that your own key has all that it would then have"),
        /** To receive a new secret of the key. */
        HOLD(END.words + "; that it has not ended; and that your own key has all that it has");

        private final String words;

        OfKey(String words) {
            this.words = words;
        }

        @Override
        public String words() {
            return words;
        }
    }

    /** Requirements of a document. */
    enum OfDocument implements Requirement {
        SEE("that you may see it"),
        OWN("that you submitted it, or that you are an admin"),
        /** Like {@link #OWN}; a name means all versions. */
        OWN_EACH("that you submitted it, by its name each of its versions, or that you are an admin");

        private final String words;

        OfDocument(String words) {
            this.words = words;
        }

        @Override
        public String words() {
            return words;
        }
    }

    /** Requirements of the caller's own credential. */
    enum OfCredential implements Requirement {
        /** To administer users. */
        UNBOUND("a key that is not bound to an agent"),
        /** To read what waits for the user. */
        PERSONAL("a key that is the user's own, not bound to an agent"),
        /** To create, change and rotate keys. */
        CURRENT("the newest secret of your key");

        private final String words;

        OfCredential(String words) {
            this.words = words;
        }

        @Override
        public String words() {
            return words;
        }
    }
}
