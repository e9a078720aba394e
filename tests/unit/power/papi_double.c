/* A test double of libpapi's powercap component over a tree of files named by PAPI_DOUBLE_ROOT. It behaves as the
 * real one in what matters: values are relative to PAPI_start modulo the range, and absolute while the counter
 * stands where it stood at the start. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK 0
#define ENOEVNT (-7)
#define MAX 64

static char path[MAX][512];
static long long start_value[MAX], range_value[MAX];
static int count;

static int read_number(const char *name, long long *value) {
    FILE *file = fopen(name, "r");
    if (!file) return -1;
    int got = fscanf(file, "%lld", value);
    fclose(file);
    return got == 1 ? 0 : -1;
}

int PAPI_library_init(int version) { return version == (7 << 24 | 1 << 16) ? version : -1; }
int PAPI_get_component_index(const char *name) {
    if (getenv("PAPI_DOUBLE_BARE")) return -20;
    return strcmp(name, "powercap") == 0 ? 3 : -20;
}
char *PAPI_strerror(int code) { return code == ENOEVNT ? "Event does not exist" : "Invalid argument"; }
int PAPI_create_eventset(int *set) { *set = 0; count = 0; return OK; }
int PAPI_cleanup_eventset(int set) { (void)set; count = 0; return OK; }
int PAPI_destroy_eventset(int *set) { *set = -1; return OK; }
int PAPI_stop(int set, long long *values) { (void)set; (void)values; return OK; }

int PAPI_add_named_event(int set, const char *name) {
    int zone, sub;
    char folder[256], range[512];
    const char *root = getenv("PAPI_DOUBLE_ROOT");
    (void)set;
    if (sscanf(name, "powercap:::ENERGY_UJ:ZONE%d_SUBZONE%d", &zone, &sub) == 2)
        snprintf(folder, sizeof folder, "%s/intel-rapl:%d:%d", root, zone, sub);
    else if (sscanf(name, "powercap:::ENERGY_UJ:ZONE%d", &zone) == 1)
        snprintf(folder, sizeof folder, "%s/intel-rapl:%d", root, zone);
    else return ENOEVNT;
    snprintf(path[count], sizeof path[count], "%s/energy_uj", folder);
    snprintf(range, sizeof range, "%s/max_energy_range_uj", folder);
    long long now;
    if (read_number(path[count], &now) || read_number(range, &range_value[count])) return ENOEVNT;
    count++;
    return OK;
}

int PAPI_start(int set) {
    (void)set;
    for (int i = 0; i < count; i++)
        if (read_number(path[i], &start_value[i])) return -1;
    return OK;
}

int PAPI_read(int set, long long *values) {
    (void)set;
    for (int i = 0; i < count; i++) {
        long long now;
        if (read_number(path[i], &now)) return -1;
        if (start_value[i] > now) now += range_value[i] - start_value[i];
        else if (start_value[i] < now) now -= start_value[i];
        values[i] = now;
    }
    return OK;
}
