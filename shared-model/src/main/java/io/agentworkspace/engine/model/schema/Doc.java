package io.agentworkspace.engine.model.schema;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The description of a field, and the limits of its value. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Doc {
    String value();

    /** The value of {@link #max()} if a field declares none. */
    long NONE = -1;

    /**
     * Strings: the maximum number of characters (code points). Lists: the maximum number of items. Numbers: the
     * greatest value. Strings and lists without one have {@link Shape#DEFAULT_MAX}; numbers without one have no
     * maximum.
     */
    long max() default NONE;

    /** Lists of strings: the maximum number of characters of each. */
    long eachMax() default 64;

    /** Input, lists of strings: a string alone is a list of one. */
    boolean orOne() default false;

    /** Numbers: the smallest value. */
    long min() default 0;

    /** Strings: a blank one is a value, and not the same as a missing one. */
    boolean verbatim() default false;

    /**
     * Optional input of tools that change something: a blank or null one counts as left out, since it never narrows what is
     * destroyed, deleted, censored, granted or addressed. Without this it counts as a required field that is missing.
     */
    boolean mayBeBlank() default false;

    /** Input: another word for the field, which is understood in its place and beside the object around it. */
    String alias() default "";

    /** Input at the top: so rarely sent that the list of tools leaves it out; {@code describe_tool} and the documents show it. */
    boolean rare() default false;

    /** Names: that of an agent, which may be a sub-agent. Fields called agent or parent need not say so. */
    boolean ofAgent() default false;

    /** Output: only in the first response, never in a replay, since the value is not stored. */
    boolean once() default false;

    /** Strings and integers: the allowed values; empty means any. */
    String[] oneOf() default {};

    /** Strings: {@code uuid}, or empty. */
    String format() default "";
}
