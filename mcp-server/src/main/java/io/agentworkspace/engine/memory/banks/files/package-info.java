/** The named memories of a bank as files below {@code /memories}: MB_Files serves Anthropic's memory tool from them. */
@NullMarked
package io.agentworkspace.engine.memory.banks.files;

import org.jspecify.annotations.NullMarked;
