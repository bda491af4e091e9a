"""Provider files in the shapes that large projects give theirs: header, object, program, and counted probes.

    python tests/conformance/provider_shapes.py [SHAPE ...]

Each shape goes through dtrace -h and -G, if D has its types, and through sdt-dtrace: into C and C++, for 64
and for 32 bits.  The program fires each probe three times, which the machine counts.  The texts are our own;
only what is unusual about the form is that of the project whose name the shape has.  Status 1 if anything
differs.
"""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from dof.usdt.definition import macro_name
from dof.usdt.sdtproviders import parse_probes

TIMES = 3
STABILITY = "".join(f"#pragma D attributes Evolving/Evolving/Common provider PROVIDER {part}\n"
                    for part in ("provider", "module", "function", "name", "args"))


class Shape(NamedTuple):
    """A provider file's text; `types` are C's declarations of those that it names.

    `switches` are for the commands; `d` tells whether D, too, has all its types and takes its form.
    """

    text: str
    types: str = ""
    switches: tuple[str, ...] = ()
    d: bool = True


def attributed(name: str) -> str:
    return STABILITY.replace("PROVIDER", name)


def many(name: str, count: int) -> str:
    """A provider with a probe for each of many calls, which all look alike."""
    return f"provider {name} {{\n" + "".join(
        f"  probe Call{number}__entry(void*, {'uintptr_t, ' * (number % 7)}char*);\n"
        f"  probe Call{number}__return({'int' if number % 2 else ''});\n" for number in range(count)) + "};\n"


SHAPES = {
    # macros for types of its own, long names, a comment on each group
    "postgresql": Shape("""
/* What the server's parts tell. */
#define Xid unsigned int
#define BlockNo unsigned int
#define bool char

provider pgsql {

	probe xact__start(Xid);
	probe xact__commit(Xid);

	probe page__read__start(int, BlockNo, Xid, Xid, Xid, int, bool);
	probe page__read__done(int, BlockNo, Xid, Xid, Xid, int, bool, bool);

	probe statement__status(const char *);
	probe sorted(unsigned long int, long);
};
""", switches=("-C",)),
    # long lists over several lines, each argument named, attributes at the end
    "mysql": Shape("""
provider mysqld {

  /* one probe for each statement */

  probe client__start(unsigned long number, char *user, char *host);
  probe client__done(int status, unsigned long number);
  probe text__start(char *text,
                    unsigned long number,
                    char *database,
                    char *user,
                    char *host);
  probe rows__write__start(char *database, char *table);
  probe rows__write__done(int status);
  probe sort__done(int status, unsigned long rows);
};

""" + attributed("mysqld")),
    "cpython": Shape("""/* An interpreter's provider */

provider py {
    probe call__entry(const char *, const char *, int);
    probe call__return(const char *, const char *, int);
    probe collect__start(int);
    probe collect__done(long);
    probe hook(const char *, void *);
};

""" + attributed("py")),
    # words between the probes that look like declarations
    "ruby": Shape("""
/* -*- C -*- */
provider rb {
  /*
     rb:::call-entry(class, method, file, line);

     This probe fires when probe call(...) of a provider { } is reached.
  */
  probe call__entry(const char *, const char *, const char *, int);
  probe call__return(const char *, const char *, const char *, int);

  /* rb:::array-create(length, file, line); */
  probe array__create(long, const char *, int);
  probe gc__mark__begin();
};

""" + attributed("rb").replace("Evolving/Evolving/Common", "Stable/Evolving/Common")),
    "php": Shape("""
provider zend {
	probe exception__caught(char *name);
	probe request__startup(char *file, char *uri, char *method);
	probe call__entry(char *name, char *file, int line, char *class, char *scope);
	probe error(char *message, char *file, int line);
};
"""),
    # types of its own before, structures after the provider
    "tcl": Shape("""
typedef struct obj_s obj_t;
typedef const char* text_t;

provider interp {
    /***************************** calls *****************************/
    /*
     *	interp*:::call-entry probe
     *	    arg0: name			(string)
     *	    arg1: number of arguments	(int)
     */
    probe call__entry(text_t name, int count, struct obj_s **values);
    probe call__return(text_t name, int code);
    probe inst__start(text_t name, int depth, struct obj_s **stack);
    probe obj__create(struct obj_s *value);
    /*
     *	interp*:::probe probe
     */
    probe probe_(text_t a0, text_t a1, text_t a2, text_t a3, text_t a4, text_t a5, text_t a6, text_t a7,
		text_t a8, text_t a9);
};

typedef struct kind_s {
    char *name;
    void *free;
} kind_t;

struct obj_s {
    int count;
    char *bytes;
    int length;
    kind_t *kind;
};

""" + attributed("interp"), "typedef struct obj_s obj_t; typedef const char *text_t;"),
    # written by a generator: hundreds of probes, each with its own lines, bool among the types
    "qemu": Shape("/* This file is generated. */\n\nprovider emu {\n" + "".join(
        f"        probe part{number}_op({arguments});\n\n" for number, arguments in enumerate((
            "uint64_t addr, bool write, const char * name", "void * s, size_t len, uint8_t byte", "",
            "int fd, ssize_t ret, unsigned val", "uint16_t a, int64_t b, uint32_t c, int8_t d", "bool now")))
        + "};\n", "#include <stdbool.h>\n#include <stddef.h>\n#include <sys/types.h>"),
    # comments that begin with #
    "libvirt": Shape("""provider virt {
	# file: src/util/object.c
	# prefix: object
	# binary: libvirt.so
	probe object_new(void *obj, const char *name);
	probe object_ref(void *obj);

	# file: src/rpc/client.c
	# prefix: rpc
	probe rpc_client_new(void *client, void *sock);
	probe rpc_msg_tx(void *client, size_t len, int prog, int vers, int type, int status, int serial);
};
""", d=False),
    "glib": Shape("""provider gl {
	probe mem__alloc(void*, unsigned int, unsigned int, unsigned int);
	probe mem__free(void*);
	probe quark__new(char *, unsigned int);
	probe signal__emit__after__idle(unsigned int, const char *, void *, unsigned long);
        probe source__attach(char*, void*, unsigned long long);
};
"""),
    # no semicolons behind probes
    "sssd": Shape("""provider sss {
    probe transaction_start(int nesting)
    probe transaction_commit_after(int nesting)

    probe search_send(const char *base, int scope, const char *filter, const char *probestr)
    probe state(char *state, int num, uint64_t runtime);
    probe done()
}
""", d=False),
    # types that the file does not explain, attributes of something else, // comments, "self"
    "dispatch": Shape("""
#include <mach/mach_types.h>

typedef struct item_s *item_t;
typedef void (*call_t)(void *);

#pragma D attributes Evolving/Evolving/Common provider disp provider
#pragma D attributes Private/Private/Common provider disp module

/*
 * Each item on each queue.
 */
provider disp {
	probe queue__push(queue_t queue, const char *label, item_t item, const char *kind,
			call_t function, void *context);
	probe queue__pop(queue_t self, const char *string, item_t item);
	// the port and the right
	probe voucher__create(void *voucher, mach_port_t port, int64 counter);
	probe timer__fire(uint64_t ident, call_t handler)
};

#pragma D attributes Evolving/Evolving/Common provider disp args
""", d=False),
    "xenstore": Shape("""provider store {
	/* tx id, dom id, pid, type, msg */
	probe msg(uint32_t, uint32_t, uint32_t, int, const char *);
	/* tx id, dom id, pid, type, reply */
	probe reply(uint32_t, uint32_t, uint32_t, int, const char *);
	probe rights_add(uint32_t, int, const char *);
	probe restart();
};
"""),
    # system headers, and a type that only some systems have
    "xorg": Shape("""
#include <sys/types.h>
#ifdef __APPLE__
#define string char *
#endif

/* One request or event, with its sequence and its client. */
provider Xsrv {
	/* name, code, length, client, buffer */
	probe request__start(string, uint8_t, uint16_t, int, void*);
	probe request__done(string, uint8_t, uint32_t, int, int);
	probe client__auth(int, string, pid_t, uid_t);
	probe resource__alloc(uint32_t, uint32_t, void*, string);
	probe send__event(int, uint8_t, void*);
};

""" + attributed("Xsrv"), "#include <sys/types.h>", switches=("-C",)),
    # what D programs see is made by translators
    "node": Shape("""
typedef struct { int32_t fd; int32_t port; } raw_connection_t;
typedef struct { int fd; int port; } connection_t;
translator connection_t < raw_connection_t *C > {
	fd = C->fd;
	port = C->port;
};

provider uvnode {
	probe server__connection(raw_connection_t *c, const char *a, int p, int fd) :
		(connection_t *c, string a, int p, int fd);
	probe http__request(raw_connection_t *c, const char *m, const char *u, int size) :
		(connection_t *c, string u, string m, int size);
	probe gc__start(int t, int f, void *isolate);
};
""", "typedef struct raw_s raw_connection_t;"),
    # text in front of each probe, and probes with neither arguments nor void
    "mozilla": Shape("""/*
 * ***** BEGIN *****
 * provider of what the engine does; "probe" is what DTrace calls it.
 */

provider js {
 /* Called on entry; char* is the name. */
 probe function__entry(char *, char *, char *);
 probe function__args(char *, char *, char *, int, void *, void *);
 probe object__create__start(char *, char *);
 probe object__create(char *, char *, unsigned long, int);
 probe execute__start(char *, int);
 probe idle(void);
};
"""),
    "hotspot": Shape("""
provider vm {
  probe class__loaded(char* name, uintptr_t length, void* loader, uintptr_t shared);
  probe init__begin();
  probe gc__begin(uintptr_t is_full);
  probe pool__gc__begin(
    char* manager, uintptr_t manager_length,
    char* pool, uintptr_t pool_length,
    uintptr_t initial, uintptr_t used,
    uintptr_t committed, uintptr_t most);
  probe thread__start(char* name, uintptr_t length, uintptr_t id, uintptr_t native, int is_daemon);
};
provider vmflags {
  probe set(char* name, int value);
};

""" + attributed("vm")),
    "hotspot_jni": Shape(many("jni", 40) + attributed("jni").replace("Evolving", "Standard")),
    # single underscores, provider and file named alike
    "bind": Shape("""/* locks */
provider libdns {
	probe rwlock_init(void *, int, int, int, int);
	probe rwlock_destroy(void *);
	probe job_cb_before(void *, void *, void *);
	probe xfrin_start(char *, char *);
};
"""),
    # groups of equal probes with numbers for names, up to twelve arguments
    "erlang": Shape("""
provider erl {
    /**
     * @param sender the process
     */
    probe message__send(char *sender, char *receiver, uint32_t size, int label, int previous, int current);
    probe process__exit(char *p, char *reason);
    probe driver__outputv(char *process, char *driver, char *port, int bytes);
""" + "".join(f"    probe user_trace__n{number}(char *p, char *tag, int a, int b, int c, int d, "
              "char *e, char *f, char *g, char *h);\n" for number in range(5)) + """\
    probe efile_drv__entry(int thread, int tag, char *user, int op, char *a, char *b, int64_t c, int64_t d,
        int64_t e, int64_t f, char *g, int h);
};

""" + attributed("erl")),
    "bitcoin": Shape("""/* A node's provider */
provider coin {
  probe cache__flush(size_t, bool);
  probe cache__hit();
  probe write__batch(size_t, _Bool);
};

""" + attributed("coin"), "#include <stdbool.h>\n#include <stddef.h>"),
    # names of types from the project's own headers
    "julia": Shape("""/* A runtime's provider */
provider jl {
    probe gc__begin(int collection);
    probe gc__mark__end(int64_t scanned_bytes, int64_t perm_scanned_bytes);
    probe run__task(jl_task_t *task);
    probe new__task(jl_task_t *parent, jl_task_t *child);
};

""" + attributed("jl"), d=False),
    # a comment behind each argument
    "couchbase": Shape("""
provider client {
    probe get_begin(uint32_t,       /* token */
                    uint8_t,        /* code (get, lock) */
                    const char*,    /* key */
                    size_t);        /* length */
    probe get_end(uint32_t,     /* token */
                  const void*,  /* bytes */
                  uint64_t,     /* version */
                  uint8_t);     /* kind: A = 0x00, B = 0x01 */
};
"""),
    # what a documentation tool reads, pointers to numbers, attributes in small letters
    "redis": Shape("""
provider kv {
   /**
    * Fired before a probe is called
    * @param id the command (see server.h)
    */
   probe call__start(int id);

   /** Hits, misses, and their shares. */
   probe cache(const void *cache, unsigned long hits, double *share, float weight);
};

""" + attributed("kv")),
    # attributes before what they are of, // comments
    "lix": Shape("""
// The words of these lines are those of the manual;
// nobody depends on them.
#pragma D attributes Unstable/Unstable/Common provider store provider

provider store {
    /** What is read: url, bytes. */
    probe read(string url, size_t length);
};
""", d=False),
    "gobject": Shape("""provider gobj1 {
  probe type__new(char *name, GType parent, GType type);
  probe object__ref(GObject *, GType, unsigned int);
  probe signal__emit(guint, const gchar *, GObject *self, GType)
}
""", d=False),
    # functions, for those who include the file in C
    "includable": Shape("""
#ifndef PROBES_D
static int used(int probe) { return probe + 1; }
#endif
struct request { int number; const char *name; };

provider both {
	probe served(struct request *request, double seconds, float share);
	probe refused(const struct request *const request, char buffer[16], int (*why)(int, int));
};
""", d=False),
}


def firing(shape: Shape) -> tuple[str, dict[str, int]]:
    """A program in C and C++ that fires each probe, and how often, by names that D has of them."""
    lines, expected = [], {}
    for provider in parse_probes(shape.text):
        for probe in provider.probes:
            name = f"{macro_name(provider.name)}_{macro_name(probe.name)}"
            lines.append(f"        {name}({', '.join('0' * len(probe.native))});\n")
            expected[probe.name] = expected.get(probe.name, 0) + TIMES
    return (f'{shape.types}\n#include "probes.h"\nint main(void)\n{{\n    int i;\n'
            f"    for (i = 0; i < {TIMES}; i++) {{\n{''.join(lines)}    }}\n    return 0;\n}}\n"), expected


Run = Callable[[Sequence[str]], "subprocess.CompletedProcess[str]"]  # a command, in the directory


def alone(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    modules = {"dtrace": "runtime.command", "sdt-dtrace": "runtime.command.sdtdtrace"}
    first = [sys.executable, "-m", modules[words[0]]] if words[0] in modules else [words[0]]
    return subprocess.run([*first, *words[1:]], capture_output=True, text=True, check=False)


def problems(shape: Shape, command: str, compiler: Sequence[str], run: Run = alone) -> Iterator[str]:
    """What goes wrong with a shape and `command`, dtrace or sdt-dtrace, in the current directory."""
    source, expected = firing(shape)
    name = "main.cc" if "++" in " ".join(compiler) else "main.c"
    Path("probes.d").write_text(shape.text)
    Path(name).write_text(source)
    first = [command, *(["-32"] if "-m32" in compiler else []), *shape.switches]
    for words in ([*first, "-h", "-s", "probes.d", "-o", "probes.h"],
                  [*compiler, "-O2", "-c", name, "-o", "main.o"],
                  [*first, "-G", "-s", "probes.d", "main.o", "-o", "probes.o"],
                  [*compiler, "main.o", "probes.o", "-o", "main"]):
        done = run(words)
        if done.returncode or done.stderr:
            yield f"{' '.join(words)}: {done.stderr}"
            return
    clauses = "".join(f"{name}$target::: {{ @[probename] = count(); }}\n"
                      for name in re.findall(r"^provider\s+(\w+)", shape.text, re.MULTILINE))
    traced = run(["dtrace", "-x", "oformat=json", "-qn", clauses, "-c", "./main"])
    found = counts(traced.stdout)
    if found != expected:
        yield f"counted {found}, not {expected}: {traced.stderr}"


def counts(output: str) -> dict[str, int]:
    """Names of probes and their counts, in JSON that dtrace wrote."""
    rows = (json.loads(line) for line in output.splitlines() if line.startswith("{"))
    return {row["keys"][0]: row["value"] for row in rows if row["type"] == "aggregation"}


COMPILERS = (("gcc",), ("g++",), ("gcc", "-m32"))


def main(names: Sequence[str]) -> int:
    wrong = done = 0
    for name in names or SHAPES:
        shape = SHAPES[name]
        for command in ("dtrace", "sdt-dtrace") if shape.d else ("sdt-dtrace",):
            for compiler in COMPILERS:
                with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
                    for each in problems(shape, command, compiler):
                        wrong += 1
                        print(f"{name}, {command}, {' '.join(compiler)}: {each}")
                done += 1
    print(f"{done} programs, {wrong} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
